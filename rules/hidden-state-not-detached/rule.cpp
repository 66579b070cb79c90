#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/carried_state.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 3> kTags{"performance", "memory", "external/cwe/cwe-401"};
constexpr std::array<std::string_view, 3> kNeedles{"torch", "forward", "backward"};

class HiddenStateNotDetachedRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK109",
        "hidden-state-not-detached",
        "A state goes into the next turn with the graph of all turns before",
        findings::Severity::kError,
        kTags,
        kNeedles,
        Page("hidden-state-not-detached")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::CarriedStateEvent& e : patterns::CarriedStates(sight)) {
      if (e.in_test) continue;
      const bool call = e.how == patterns::Carried::kByAttribute;
      auto finding = engine::MakeFinding(
          *this, e, events,
          "`" + e.state + "` goes into the next " + (call ? "call" : "turn") +
              " with the graph of all " + (call ? "calls" : "turns") + " before",
          e.how == patterns::Carried::kWithoutGradient
              ? "run it under `torch.no_grad()`, or detach the state"
              : "cut the graph where the state is carried on: `.detach()`, of each of its tensors");
      if (e.strength == flow::Strength::kWeak) finding.severity = findings::Severity::kWarning;
      context.Report(std::move(finding));
    }
  }
};

}  // namespace

const engine::Rule& HiddenStateNotDetached() {
  static const HiddenStateNotDetachedRule kRule;
  return kRule;
}

}  // namespace torchleak::rules
