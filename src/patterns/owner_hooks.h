// OwnerHook: a hook that closes a cycle through the autograd graph, which is never collected.
//
//   self.h.register_hook(lambda grad: self.seen(grad))
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

// A hook on a tensor, or on its grad_fn, that refers back to what holds the tensor; or a hook on a
// module of an object that it refers to, where such objects are made in a loop.
struct OwnerHook : flow::EventBase {
  std::string tensor, owner;  // "self.cache", "self"; equal when it captures the tensor itself
  bool on_module = false;     // only Python holds the cycle: the garbage collector frees it, late
};
std::vector<OwnerHook> HooksOnOwners(const Sight& sight);

}  // namespace torchleak::patterns
