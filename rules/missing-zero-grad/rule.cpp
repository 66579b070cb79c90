#include <array>
#include <string>

#include "engine/report_event.h"
#include "repair/repair.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"correctness", "external/cwe/cwe-459"};
constexpr std::array<std::string_view, 1> kNeedles{"step("};

class MissingZeroGradRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK201",
        "missing-zero-grad",
        "An optimizer steps on gradients that still hold those of earlier steps",
        findings::Severity::kError,
        kTags,
        kNeedles,
        Page("missing-zero-grad")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    for (const flow::StaleStepEvent& e : events.stale_steps) {
      if (e.in_test) continue;
      const std::string name =
          e.optimizer.empty() ? std::string("the optimizer") : "`" + e.optimizer + "`";
      auto finding = engine::MakeFinding(
          *this, e, events,
          name + (e.left_over
                      ? " steps on gradients that another loss left in the same module"
                      : " steps on gradients that were never cleared after the step before"),
          e.left_over ? "call `zero_grad()` on it right before its own backward()"
                      : "call `zero_grad()` on it once for every step");
      finding.fix = repair::ClearGradients(events, e);
      context.Report(std::move(finding));
    }
  }
};

}  // namespace

const engine::Rule& MissingZeroGrad() {
  static const MissingZeroGradRule kRule;
  return kRule;
}

}  // namespace torchleak::rules
