// KeptException: an exception that outlives its handler.
//
//   except RuntimeError as e:
//       self.errors.append(e)         # its traceback holds the tensors of every frame
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

}  // namespace torchleak::patterns
