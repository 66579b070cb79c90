// RepeatedCall: a costly library call that stands in a loop.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct RepeatedCallEvent : flow::EventBase {
  Often often = Often::kOnce;
};

// Calls of these functions, by qualified name, that run more than once in one run of their
// function. Not those in handlers or on conditions that change: a cleanup now and then is
// somebody's decision.
std::vector<RepeatedCallEvent> RepeatedCalls(const Sight& sight,
                                             std::span<const std::string_view> functions);

}  // namespace torchleak::patterns
