#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/trial_models.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"performance", "memory"};
constexpr std::array<std::string_view, 1> kNeedles{"torch"};

class ModelKeptInLoopRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{"TLK125",
                                        "model-kept-in-loop",
                                        "The models of all trials are kept",
                                        findings::Severity::kWarning,
                                        kTags,
                                        kNeedles,
                                        Page("model-kept-in-loop")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::KeptModel& e : patterns::ModelsKeptInLoops(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events, "`" + e.where + "` keeps `" + e.model + "` of every turn on its device",
          "keep the score, and the weights of the best one on the host"));
    }
  }
};

}  // namespace

const engine::Rule& ModelKeptInLoop() {
  static const ModelKeptInLoopRule kRule;
  return kRule;
}

}  // namespace torchleak::rules
