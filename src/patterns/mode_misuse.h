// Modes that do not fit what runs in them: training in eval mode, backward() in evaluation.
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

// backward() where a model is only evaluated.
struct EvalBackwardEvent : flow::EventBase {
  bool steps = false;  // and an optimizer steps on it
};
std::vector<EvalBackwardEvent> EvalBackwards(const Sight& sight);

// A loop that trains and puts the model in eval mode in each turn, and train() stands before it.
struct StuckEvalEvent : flow::EventBase {
  std::string module;
  bool in_callee = false;  // the function called here leaves it in eval mode
};
std::vector<StuckEvalEvent> StuckEvals(const Sight& sight);

// A collective on parameters that require grad, outside no_grad.
struct CollectiveEvent : flow::EventBase {
  std::string what;        // "p"
  std::string collective;  // "all_reduce"
};
std::vector<CollectiveEvent> CollectivesWithGrad(const Sight& sight);

}  // namespace torchleak::patterns
