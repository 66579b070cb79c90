// StuckEval: a loop trains a model and puts it in eval mode in each turn, and nothing in the loop
// puts it back.
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct StuckEvalEvent : flow::EventBase {
  std::string module;
  bool in_callee = false;  // the function called here leaves it in eval mode
};
std::vector<StuckEvalEvent> StuckEvals(const Sight& sight);

}  // namespace torchleak::patterns
