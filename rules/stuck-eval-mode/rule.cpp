#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/stuck_eval.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 1> kTags{"correctness"};
constexpr std::array<std::string_view, 1> kNeedles{".eval("};

class StuckEvalModeRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{"TLK214",
                                        "stuck-eval-mode",
                                        "After the first evaluation training goes on in eval mode",
                                        findings::Severity::kWarning,
                                        kTags,
                                        kNeedles,
                                        Page("stuck-eval-mode")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::StuckEvalEvent& e : patterns::StuckEvals(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events, "`" + e.module + "` stays in eval mode, and the next turn trains it so",
          "call `" + e.module + ".train()` at the top of each epoch"));
    }
  }
};

}  // namespace

const engine::Rule& StuckEvalMode() {
  static const StuckEvalModeRule kRule;
  return kRule;
}

}  // namespace torchleak::rules
