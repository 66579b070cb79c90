#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/repeated_data.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"performance", "memory"};
constexpr std::array<std::string_view, 1> kNeedles{"cycle"};

class ItertoolsCycleRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{"TLK120",
                                        "itertools-cycle",
                                        "itertools.cycle keeps every batch of the loader",
                                        findings::Severity::kWarning,
                                        kTags,
                                        kNeedles,
                                        Page("itertools-cycle")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::CycledLoader& e : patterns::CycledLoaders(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events,
          "`cycle` keeps every batch of `" + e.loader + "`, and never shuffles again",
          "write a generator: `while True: yield from loader`"));
    }
  }
};

}  // namespace

const engine::Rule& ItertoolsCycle() {
  static const ItertoolsCycleRule kRule;
  return kRule;
}

}  // namespace torchleak::rules
