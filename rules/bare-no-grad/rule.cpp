#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/grad_switches.h"
#include "patterns/old_defaults.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 1> kTags{"correctness"};
constexpr std::array<std::string_view, 3> kNeedles{"no_grad", "inference_mode", "enable_grad"};

class BareNoGradRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{"TLK204",
                                        "bare-no-grad",
                                        "torch.no_grad() that is never entered",
                                        findings::Severity::kError,
                                        kTags,
                                        kNeedles,
                                        Page("bare-no-grad")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    if (context.RunsBefore({2, 0})) {
      for (const patterns::BareDecoratorEvent& e : patterns::BareDecorators(sight)) {
        context.Report(engine::MakeFinding(
            *this, e, events, "`@" + e.what + "` without a call fails before PyTorch 2.0",
            "write `@" + e.what + "()`"));
      }
    }
    for (const patterns::BareGradEvent& e : patterns::BareGradSwitches(sight)) {
      if (e.in_test) continue;
      context.Report(
          engine::MakeFinding(*this, e, events,
                              e.form == patterns::BareForm::kStatement
                                  ? "`" + e.what + "` as a statement does nothing"
                                  : "`" + e.what + "` is a class: `with` needs a call of it",
                              e.form == patterns::BareForm::kStatement
                                  ? "put the code that it is meant for under `with " + e.what + ":`"
                                  : "write `" + e.what + "()`"));
    }
  }
};

}  // namespace

const engine::Rule& BareNoGrad() {
  static const BareNoGradRule kRule;
  return kRule;
}

}  // namespace torchleak::rules
