#include "engine/report_event.h"

#include <utility>

namespace torchleak::engine {

findings::Confidence ConfidenceOf(flow::Strength strength) {
  switch (strength) {
    case flow::Strength::kStrong:
      return findings::Confidence::kHigh;
    case flow::Strength::kMedium:
      return findings::Confidence::kMedium;
    default:
      return findings::Confidence::kLow;
  }
}

findings::Finding MakeFinding(const Rule& rule, const flow::EventBase& event,
                              const flow::FileEvents& events, std::string message,
                              std::string help) {
  findings::Finding finding;
  finding.code = rule.info().code;
  finding.name = rule.info().name;
  finding.severity = rule.info().severity;
  finding.confidence = ConfidenceOf(event.strength);
  finding.message = std::move(message);
  finding.help = std::move(help);
  finding.location.span = event.span;
  finding.function = events.module->DisplayName(event.function);
  for (const flow::Step& step : event.flow)
    finding.flow.push_back({{step.path, step.span}, step.message});
  return finding;
}

}  // namespace torchleak::engine
