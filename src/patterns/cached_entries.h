// CachedEntry: a dict that gets a tensor for each new key.
//
//   if size not in self.tables:
//       self.tables[size] = make(size)
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct CachedEntry : flow::EventBase {
  std::string cache, key;
  bool by_identity = false;  // the key is id(…) of a tensor: nobody else can find the entry
};

// Tensors that a dict of a module, class or object gets for each new key, when nothing in the file
// removes entries, counts them or starts anew.
std::vector<CachedEntry> CachedEntries(const Sight& sight);

}  // namespace torchleak::patterns
