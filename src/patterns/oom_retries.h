// RetryInHandler: work that ran out of memory, done again where the failed attempt is still alive.
//
//   except torch.cuda.OutOfMemoryError:
//       return model(x[:half])
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct RetryInHandler : flow::EventBase {
  std::string callee;
  bool recursive = false;  // the function that failed calls itself
};

// Calls in the handler of an out-of-memory error that do the failed work again, one a handler.
std::vector<RetryInHandler> RetriesInHandlers(const Sight& sight);

}  // namespace torchleak::patterns
