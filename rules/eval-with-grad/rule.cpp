#include <array>
#include <optional>
#include <string>

#include "engine/report_event.h"
#include "patterns/trains.h"
#include "repair/repair.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 3> kTags{"performance", "memory", "external/cwe/cwe-770"};
constexpr std::array<std::string_view, 2> kNeedles{"torch", "eval("};

class EvalWithGradRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK203",
        "eval-with-grad",
        "A module runs for evaluation with grad enabled, and nothing needs the gradient",
        findings::Severity::kWarning,
        kTags,
        kNeedles,
        Page("eval-with-grad")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    std::optional<bool> trains;  // anything in the file
    for (const flow::ForwardEvent& e : events.forwards) {
      if (e.in_test) continue;
      const bool evaluates =
          e.in_eval || ((e.evaluation_function || e.over_held_out) && e.repeated);
      // A script that trains nothing, but tries what the file defines, is over at once.
      const bool script = e.function == sema::FunctionId{0};
      if (script && !trains) trains = patterns::Trains(*events.world);
      const bool tries = script && !*trains;
      const bool unused = e.unused_gradient && e.repeated && !tries;
      if (!evaluates && !unused) continue;
      auto finding = engine::MakeFinding(
          *this, e, events,
          evaluates ? "`" + e.module +
                          "` runs for evaluation with grad enabled, and every activation is kept "
                          "for a backward that never comes"
                    : "nothing uses the gradient of what `" + e.module +
                          "` computes here, yet every activation is kept for it",
          "wrap the forward in `with torch.no_grad():` or decorate the function with "
          "`@torch.no_grad()`");
      for (const text::Span& place : e.also_at)
        finding.flow.push_back({{{}, place}, std::string(findings::kAndHere)});
      finding.fix = repair::RunWithoutGrad(events, e);
      context.Report(std::move(finding));
    }
  }
};

}  // namespace

const engine::Rule& EvalWithGrad() {
  static const EvalWithGradRule kRule;
  return kRule;
}

}  // namespace torchleak::rules
