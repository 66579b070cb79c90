#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/grad_switches.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 1> kTags{"correctness"};
constexpr std::array<std::string_view, 1> kNeedles{"yield"};

class NoGradGeneratorRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK209",
        "no-grad-generator",
        "A generator that yields under no_grad turns grad off in the loop over it",
        findings::Severity::kWarning,
        kTags,
        kNeedles,
        Page("no-grad-generator")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::GradOffYieldEvent& e : patterns::GradOffYields(sight)) {
      if (e.in_test || (e.consumed && !e.trains)) continue;
      findings::Finding finding = engine::MakeFinding(
          *this, e, events,
          e.trains ? "grad is off in the loop over this generator, which trains"
                   : "grad is off in the caller's loop while the generator waits here",
          "leave the `with` block before `yield`, or decorate the generator with "
          "`@torch.no_grad()`");
      if (e.trains) finding.severity = findings::Severity::kError;
      context.Report(std::move(finding));
    }
  }
};

}  // namespace

const engine::Rule& NoGradGenerator() {
  static const NoGradGeneratorRule kRule;
  return kRule;
}

}  // namespace torchleak::rules
