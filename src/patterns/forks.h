// Forks: where a file makes processes that are forks of its own, and what runs in them.
#pragma once

#include <vector>

#include "patterns/trace.h"

namespace torchleak::patterns {

struct Fork {
  CallSite site;                           // Process(…), Pool(…), ProcessPoolExecutor(…)
  std::vector<sema::FunctionId> children;  // functions of this file, as far as known
};

// By the context "fork", or by the default start method where the file speaks of no other.
std::vector<Fork> Forks(const Sight& sight, const Trace& trace);

}  // namespace torchleak::patterns
