// From a flow event to a finding: the part that all rules share.
#pragma once

#include <string>

#include "engine/rule.h"
#include "flow/events.h"

namespace torchleak::engine {

findings::Confidence ConfidenceOf(flow::Strength strength);

// A finding of `rule` at the event, with its flow; the rule adds what it knows better.
findings::Finding MakeFinding(const Rule& rule, const flow::EventBase& event,
                              const flow::FileEvents& events, std::string message,
                              std::string help);

}  // namespace torchleak::engine
