// MemoizedFunction: computed once for each key, and kept with all that key and result hold.
//
//   @lru_cache(maxsize=None)
//   def mask(n): return torch.ones(n, n)
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct MemoizedFunction : flow::EventBase {
  enum class Keeps : std::uint8_t {
    kOwner,     // `self`, a module or an object with tensors, in a cache that the class holds
    kArgument,  // a module or tensor that is a key
    kResult,    // a tensor for each key
  } keeps = Keeps::kResult;
  std::string name, what;  // of the function; of what is kept
  bool bounded = false;    // at a size that was written down
  unsigned size = 0;       // … this one; 128 by default
};

// Functions under `functools.lru_cache`, `functools.cache` and decorators named like them. Results
// are reported when their number has no small limit and the keys are not few by nature.
std::vector<MemoizedFunction> MemoizedFunctions(const Sight& sight);

}  // namespace torchleak::patterns
