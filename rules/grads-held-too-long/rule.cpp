#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/held_gradients.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"performance", "memory"};
constexpr std::array<std::string_view, 1> kNeedles{"zero_grad"};

class GradsHeldTooLongRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK317",
        "grads-held-too-long",
        "Gradients are cleared after the forward, and lie beside its "
        "activations until then",
        findings::Severity::kNote,
        kTags,
        kNeedles,
        Page("grads-held-too-long"),
        false};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::HeldGradientsEvent& e : patterns::HeldGradients(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events, "the last step's gradients are held through the forward of this one",
          "clear them right after the step, or before the forward"));
    }
  }
};

}  // namespace

const engine::Rule& GradsHeldTooLong() {
  static const GradsHeldTooLongRule kRule;
  return kRule;
}

}  // namespace torchleak::rules
