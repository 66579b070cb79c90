// PreviousOutput: a forward's result that a local variable still holds, with its graph, while the
// next turn of the loop computes another one.
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct PreviousOutputEvent : flow::EventBase {
  std::string variable;
};

// In training loops, of forwards that no backward() walks and that nothing else keeps. A loop
// without backward() is an evaluation, of which eval-with-grad speaks.
std::vector<PreviousOutputEvent> PreviousOutputs(const Sight& sight);

}  // namespace torchleak::patterns
