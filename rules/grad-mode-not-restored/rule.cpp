#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/grad_switches.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 1> kTags{"correctness"};
constexpr std::array<std::string_view, 1> kNeedles{"set_grad_enabled"};

class GradModeNotRestoredRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK205",
        "grad-mode-not-restored",
        "set_grad_enabled(False) as a statement stays in force, and training follows",
        findings::Severity::kError,
        kTags,
        kNeedles,
        Page("grad-mode-not-restored")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::GradLeftOffEvent& e : patterns::GradLeftOff(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(*this, e, events,
                                         "grad stays off after this, and training follows",
                                         "use `with torch.no_grad():`, which ends with its block"));
    }
  }
};

}  // namespace

const engine::Rule& GradModeNotRestored() {
  static const GradModeNotRestoredRule kRule;
  return kRule;
}

}  // namespace torchleak::rules
