// TargetUpdate: an average of parameters (EMA, target network) that is renewed with grad on.
//
//   for name, p in model.named_parameters():
//       self.shadow[name] = 0.999 * self.shadow[name] + 0.001 * p
//
// A parameter requires grad, so the sum has a graph, and the next one refers to it.
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct TargetUpdateEvent : flow::EventBase {
  std::string where;  // "self.shadow[name]"
};

// Only where the average outlives the update and takes the parameter itself: not `p.data`, nor what
// state_dict() gives, nor under no_grad here or in all callers.
std::vector<TargetUpdateEvent> TargetUpdates(const Sight& sight);

}  // namespace torchleak::patterns
