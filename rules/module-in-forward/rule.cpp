#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/made_in_place.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"correctness", "memory"};
constexpr std::array<std::string_view, 2> kNeedles{"forward", "training_step"};

class ModuleInForwardRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{"TLK213",
                                        "module-in-forward",
                                        "forward() makes a layer with weights in each call",
                                        findings::Severity::kError,
                                        kTags,
                                        kNeedles,
                                        Page("module-in-forward")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);

    for (const patterns::LayerInForwardEvent& e : patterns::LayersInForward(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events,
          "`" + e.layer + "` is made in every forward: new random weights that no optimizer knows",
          "make it in `__init__`, or once when it is missing"));
    }
  }
};

}  // namespace

const engine::Rule& ModuleInForward() {
  static const ModuleInForwardRule kRule;
  return kRule;
}

}  // namespace torchleak::rules
