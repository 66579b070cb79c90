// RepeatedCall: a costly library call that runs again and again, in a loop of its own function or
// of those that call it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct RepeatedCallEvent : flow::EventBase {
  Often often = Often::kOnce;
  bool over_parts = false;  // the loop goes over the modules or the parameters of a model
  bool measures = false;    // its function reads how much memory is in use, or the time
};

// Calls that run more than once: of these functions, by qualified name, and of helpers of other
// files that go by one of these last names. Not those in handlers or on conditions that change: a
// cleanup now and then is somebody's decision.
std::vector<RepeatedCallEvent> RepeatedCalls(const Sight& sight,
                                             std::span<const std::string_view> functions,
                                             std::span<const std::string_view> helpers = {});

}  // namespace torchleak::patterns
