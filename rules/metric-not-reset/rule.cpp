#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/repeated_data.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"performance", "memory"};
constexpr std::array<std::string_view, 2> kNeedles{"torchmetrics", "torcheval"};

class MetricNotResetRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{"TLK121",
                                        "metric-not-reset",
                                        "A metric keeps the predictions of all epochs",
                                        findings::Severity::kWarning,
                                        kTags,
                                        kNeedles,
                                        Page("metric-not-reset")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::StaleMetric& e : patterns::StaleMetrics(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events,
          "`" + e.metric + "` keeps its predictions, and is never reset between epochs",
          "call `reset()` on it after `compute()`"));
    }
  }
};

}  // namespace

const engine::Rule& MetricNotReset() {
  static const MetricNotResetRule kRule;
  return kRule;
}

}  // namespace torchleak::rules
