// EvalBackward: backward() where a model is only evaluated.
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct EvalBackwardEvent : flow::EventBase {
  bool steps = false;  // and an optimizer steps on it
};
std::vector<EvalBackwardEvent> EvalBackwards(const Sight& sight);

}  // namespace torchleak::patterns
