// Collected: what gathers more with each batch, epoch or trial without anybody asking for it.
//
//   stream = itertools.cycle(loader)          # CycledLoader: keeps every batch of the first pass
//   metric.update(model(x), y)                # StaleMetric: predictions of all epochs, no reset()
//   jobs.append(pool.submit(save, tensors))   # UnboundedJobs: faster filled than worked off
//   trials.append({"model": model})           # KeptModel: the models of all trials
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct CycledLoader : flow::EventBase {
  std::string loader;
};
std::vector<CycledLoader> CycledLoaders(const Sight& sight);

// Metrics that keep what they are given, as those over curves and rankings do.
struct StaleMetric : flow::EventBase {
  std::string metric;
};
std::vector<StaleMetric> StaleMetrics(const Sight& sight);

struct UnboundedJobs : flow::EventBase {
  std::string queue;
  bool submitted = false;  // to an executor; else put into a queue
};
std::vector<UnboundedJobs> UnboundedQueues(const Sight& sight);

struct KeptModel : flow::EventBase {
  std::string model, where;
};
std::vector<KeptModel> ModelsKeptInLoops(const Sight& sight);

}  // namespace torchleak::patterns
