#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/transfers.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 1> kTags{"memory"};
constexpr std::array<std::string_view, 1> kNeedles{"torch"};

class RebindDoublesPeakRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{"TLK315",
                                        "rebind-doubles-peak",
                                        "The old model is alive while the new one is made",
                                        findings::Severity::kNote,
                                        kTags,
                                        kNeedles,
                                        Page("rebind-doubles-peak"),
                                        false};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);

    for (const patterns::ReboundEvent& e : patterns::Rebound(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events,
          "`" + e.name + "` of the last turn is alive until this one is made: twice the memory",
          "`del " + e.name + "` at the end of the turn, or make it in a function of its own"));
    }
  }
};

}  // namespace

const engine::Rule& RebindDoublesPeak() {
  static const RebindDoublesPeakRule kRule;
  return kRule;
}

}  // namespace torchleak::rules
