#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/wiped_gradients.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 1> kTags{"correctness"};
constexpr std::array<std::string_view, 2> kNeedles{"zero_grad", "grad = None"};

class ZeroGradWipesGradientRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK202",
        "zero-grad-wipes-gradient",
        "Gradients are cleared between backward() and the step that should use them",
        findings::Severity::kError,
        kTags,
        kNeedles,
        Page("zero-grad-wipes-gradient")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::WipedGradientEvent& e : patterns::WipedGradients(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(*this, e, events,
                                         "gradients are cleared after `backward()` and before `" +
                                             e.optimizer + ".step()`, which then does nothing",
                                         "clear before `backward()` or after `step()`"));
    }
  }
};

}  // namespace

const engine::Rule& ZeroGradWipesGradient() {
  static const ZeroGradWipesGradientRule kRule;
  return kRule;
}

}  // namespace torchleak::rules
