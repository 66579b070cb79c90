// RepeatedLoader: worker processes that are started again and again for the same data.
#pragma once

#include <vector>

#include "patterns/loaders.h"

namespace torchleak::patterns {

struct RepeatedLoaderEvent : flow::EventBase {
  enum class Form : std::uint8_t {
    kMadeInLoop,      // DataLoader(…) in the loop that reads it
    kMadeByFunction,  // … in a function that a loop calls
    kOneBatch,        // next(iter(loader)): new workers for each batch
  } form = Form::kMadeInLoop;
};

// Loaders with workers over data that is the same in each turn. Not those that are made on a
// condition, kept for later, or read by more than one pass: then it is a trial or a fold that they
// are made for.
std::vector<RepeatedLoaderEvent> RepeatedLoaders(const Sight& sight);

}  // namespace torchleak::patterns
