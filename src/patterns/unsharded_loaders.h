// UnshardedLoader: a loader of a distributed run that gives every process all the data.
#pragma once

#include <vector>

#include "patterns/loaders.h"

namespace torchleak::patterns {

struct UnshardedLoaderEvent : flow::EventBase {};

// Loaders without a sampler that a training loop reads, in files that wrap a model in
// DistributedDataParallel and show no other way to divide the data.
std::vector<UnshardedLoaderEvent> UnshardedLoaders(const Sight& sight);

}  // namespace torchleak::patterns
