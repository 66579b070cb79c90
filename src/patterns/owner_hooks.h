// OwnerHook: a hook that closes a cycle through the autograd graph, which is never collected.
//
//   self.h.register_hook(lambda grad: self.seen(grad))
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

// A hook on a tensor, or on its grad_fn, that refers back to what holds the tensor.
struct OwnerHook : flow::EventBase {
  std::string tensor, owner;  // "self.cache", "self"; equal when it captures the tensor itself
};
std::vector<OwnerHook> HooksOnOwners(const Sight& sight);

}  // namespace torchleak::patterns
