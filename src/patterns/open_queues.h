// UnboundedJobs: tensors that wait for a worker, with nobody to stop the one who hands them over.
//
//   jobs.append(pool.submit(save, tensors))
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct UnboundedJobs : flow::EventBase {
  std::string queue;
  bool submitted = false;  // to an executor; else put into a queue
};
std::vector<UnboundedJobs> UnboundedQueues(const Sight& sight);

}  // namespace torchleak::patterns
