// Collective: all_reduce() and its kin on parameters that require grad, outside no_grad.
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct CollectiveEvent : flow::EventBase {
  std::string what;        // "p"
  std::string collective;  // "all_reduce"
  bool of_graph = false;   // a loss or an output, not a parameter
};
std::vector<CollectiveEvent> CollectivesWithGrad(const Sight& sight);

}  // namespace torchleak::patterns
