// EnteredLoader: a data loader used as a context manager, which it is not.
#pragma once

#include <vector>

#include "patterns/loaders.h"

namespace torchleak::patterns {

struct EnteredLoaderEvent : flow::EventBase {};

// `with DataLoader(…)`, `with loader`: of torch's own class, which has no __enter__.
std::vector<EnteredLoaderEvent> EnteredLoaders(const Sight& sight);

}  // namespace torchleak::patterns
