// BrokenAccumulation: gradients are gathered over several batches, and guard and clearing do not
// fit.
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

enum class Misfit : std::uint8_t {
  kClearedEachBatch,  // step() every k batches, zero_grad() in each of them
  kSteppedEachBatch,  // zero_grad() every k batches, step() in each of them
  kClearedEachEpoch,  // a window that reaches over the end of an epoch is cut off there
  kModuleCleared,  // `with accumulate(model):` makes the optimizer's zero_grad() wait, not this one
  kClearedTooEarly,  // … and before backward() it waits for the very batch that steps
};

struct BrokenAccumulationEvent : flow::EventBase {
  Misfit misfit = Misfit::kClearedEachBatch;
  std::string optimizer;
};

std::vector<BrokenAccumulationEvent> BrokenAccumulations(const Sight& sight);

}  // namespace torchleak::patterns
