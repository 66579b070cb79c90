#include <array>

#include "engine/report_event.h"
#include "patterns/repeated_calls.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 1> kTags{"performance"};
constexpr std::array<std::string_view, 1> kNeedles{"collect"};
constexpr std::array<std::string_view, 1> kFunctions{"gc.collect"};

class GcInLoopRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK302",
        "gc-in-loop",
        "gc.collect() in each step walks all objects of the process",
        findings::Severity::kWarning,
        kTags,
        kNeedles,
        Page("gc-in-loop")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);

    for (const patterns::RepeatedCallEvent& e : patterns::RepeatedCalls(sight, kFunctions)) {
      const bool often = e.often == patterns::Often::kEachStep ||
                         (e.often == patterns::Often::kEachTurn && e.over_parts);
      if (e.in_test || e.measures || !often) continue;
      context.Report(engine::MakeFinding(
          *this, e, events, "`gc.collect()` in every turn looks at all objects of the process",
          "call it once after the loop, or every few hundred steps; what a name still refers to is "
          "not freed by it"));
    }
  }
};

}  // namespace

const engine::Rule& GcInLoop() {
  static const GcInLoopRule kRule;
  return kRule;
}

}  // namespace torchleak::rules
