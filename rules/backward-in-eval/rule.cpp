#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/eval_backward.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"performance", "correctness"};
constexpr std::array<std::string_view, 1> kNeedles{"backward"};

class BackwardInEvalRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{"TLK208",
                                        "backward-in-eval",
                                        "backward() runs in code that only evaluates",
                                        findings::Severity::kWarning,
                                        kTags,
                                        kNeedles,
                                        Page("backward-in-eval")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::EvalBackwardEvent& e : patterns::EvalBackwards(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events,
          e.steps ? "evaluation differentiates its loss, and the optimizer trains on held-out data"
                  : "evaluation differentiates its loss: memory and time for gradients that the "
                    "next training step inherits",
          "leave out `backward()`, and evaluate under `torch.no_grad()`"));
    }
  }
};

}  // namespace

const engine::Rule& BackwardInEval() {
  static const BackwardInEvalRule kRule;
  return kRule;
}

}  // namespace torchleak::rules
