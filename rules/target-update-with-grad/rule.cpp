#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/target_update.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 3> kTags{"performance", "memory", "external/cwe/cwe-401"};
constexpr std::array<std::string_view, 1> kNeedles{"parameters()"};

class TargetUpdateWithGradRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK113",
        "target-update-with-grad",
        "An average of parameters is renewed with grad on, and its graph grows with each update",
        findings::Severity::kWarning,
        kTags,
        kNeedles,
        Page("target-update-with-grad")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::TargetUpdateEvent& e : patterns::TargetUpdates(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events,
          "`" + e.where +
              "` takes parameters with grad on: each update's graph refers to the one before",
          "update it under `torch.no_grad()`"));
    }
  }
};

}  // namespace

const engine::Rule& TargetUpdateWithGrad() {
  static const TargetUpdateWithGradRule kRule;
  return kRule;
}

}  // namespace torchleak::rules
