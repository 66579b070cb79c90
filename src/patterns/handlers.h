// Handlers: what `except` blocks do with what they caught.
//
//   except RuntimeError as e:
//       self.errors.append(e)         # KeptException: its traceback holds every frame's tensors
//
//   except torch.cuda.OutOfMemoryError:
//       return model(x[:half])        # RetryInHandler: the failed attempt is alive all the while
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct KeptException : flow::EventBase {
  std::string what, where;  // "exc", "self.errors"
  bool grows = false;       // one more each time
};

// Caught exceptions, or what `sys.exc_info()` gives, that are stored beyond their handler. Not
// those that the file raises again, strips of their traceback, or that come of no computation
// (ImportError, KeyError, …).
std::vector<KeptException> KeptExceptions(const Sight& sight);

struct RetryInHandler : flow::EventBase {
  std::string callee;
  bool recursive = false;  // the function that failed calls itself
};

// Calls in the handler of an out-of-memory error that do the failed work again, one a handler.
std::vector<RetryInHandler> RetriesInHandlers(const Sight& sight);

}  // namespace torchleak::patterns
