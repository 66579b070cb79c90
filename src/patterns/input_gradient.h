// InputGradient: requires_grad is turned on for a tensor that somebody else goes on using, or for
// a batch whose gradient nobody reads.
//
//   def penalty(disc, x):
//       x.requires_grad_(True)   # the caller's batch collects graphs and .grad from now on
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct InputGradientEvent : flow::EventBase {
  std::string what;        // "x", "data.pos"
  bool of_caller = false;  // a parameter of the function; else a batch of its loop
};

std::vector<InputGradientEvent> InputGradients(const Sight& sight);

}  // namespace torchleak::patterns
