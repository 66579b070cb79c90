// What goes through the same data again and keeps it.
//
//   stream = itertools.cycle(loader)          # CycledLoader: keeps every batch of the first pass
//   metric.update(model(x), y)                # StaleMetric: predictions of all epochs, no reset()
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

}  // namespace torchleak::patterns
