// CopiedWeights: copies of a model's weights, where the model lies.
//
//   best = copy.deepcopy(model.state_dict())
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

// A copy of `model.state_dict()` on the model's device, kept in a loop for later.
struct CopiedWeights : flow::EventBase {
  std::string model;
  bool grows = false;  // one more copy each time
};

std::vector<CopiedWeights> CopiesOfWeights(const Sight& sight);

}  // namespace torchleak::patterns
