#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/input_gradient.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"memory", "correctness"};
constexpr std::array<std::string_view, 1> kNeedles{"requires_grad"};

class RequiresGradOnInputRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{"TLK210",
                                        "requires-grad-on-input",
                                        "requires_grad is turned on for a tensor of the caller, or "
                                        "for a batch whose gradient nobody reads",
                                        findings::Severity::kWarning,
                                        kTags,
                                        kNeedles,
                                        Page("requires-grad-on-input")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::InputGradientEvent& e : patterns::InputGradients(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events,
          e.of_caller
              ? "`" + e.what + "` belongs to the caller, who gets a tensor that requires grad"
              : "the gradient by `" + e.what + "` is computed in each step and never read",
          e.of_caller ? "work on `" + e.what + ".detach().requires_grad_()`" : "leave it out"));
    }
  }
};

}  // namespace

const engine::Rule& RequiresGradOnInput() {
  static const RequiresGradOnInputRule kRule;
  return kRule;
}

}  // namespace torchleak::rules
