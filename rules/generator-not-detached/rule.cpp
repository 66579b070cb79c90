#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/discarded_gradients.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"performance", "memory"};
constexpr std::array<std::string_view, 1> kNeedles{"backward"};

class GeneratorNotDetachedRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK206",
        "generator-not-detached",
        "A discriminator step differentiates the generator as well, for gradients that nobody uses",
        findings::Severity::kWarning,
        kTags,
        kNeedles,
        Page("generator-not-detached")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::DiscardedGradientEvent& e : patterns::DiscardedGradients(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events,
          "the loss of `" + e.outer + "` is differentiated through `" + e.inner +
              (e.shared ? "`, whose own loss is another one" : "`, which does not step here"),
          "pass `.detach()`-ed output, or make it under `torch.no_grad()`"));
    }
  }
};

}  // namespace

const engine::Rule& GeneratorNotDetached() {
  static const GeneratorNotDetachedRule kRule;
  return kRule;
}

}  // namespace torchleak::rules
