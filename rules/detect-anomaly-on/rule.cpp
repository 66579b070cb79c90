#include <array>

#include "engine/report_event.h"
#include "patterns/debug_tools.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 1> kTags{"performance"};
constexpr std::array<std::string_view, 1> kNeedles{"detect_anomaly"};

class DetectAnomalyOnRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{"TLK303",
                                        "detect-anomaly-on",
                                        "Anomaly detection is on for every run",
                                        findings::Severity::kWarning,
                                        kTags,
                                        kNeedles,
                                        Page("detect-anomaly-on")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);

    for (const patterns::AnomalyEvent& e : patterns::AnomalyDetection(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events,
          "anomaly detection is on in every run: each operation records its stack",
          "turn it on by an argument, for the run that looks for a NaN"));
    }
  }
};

}  // namespace

const engine::Rule& DetectAnomalyOn() {
  static const DetectAnomalyOnRule kRule;
  return kRule;
}

}  // namespace torchleak::rules
