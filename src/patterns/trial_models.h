// KeptModel: the models of all trials, where one was wanted.
//
//   trials.append({"model": model, "score": fit(model)})
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct KeptModel : flow::EventBase {
  std::string model, where;
};
std::vector<KeptModel> ModelsKeptInLoops(const Sight& sight);

}  // namespace torchleak::patterns
