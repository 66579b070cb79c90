// StateAlias: a state_dict() is kept to be put back or saved later, and it is the live weights.
//
//   best = model.state_dict()        # the very tensors that the optimizer goes on writing
//   train(model)
//   model.load_state_dict(best)      # copies them onto themselves
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct StateAliasEvent : flow::EventBase {
  std::string module;       // "model"
  std::string place;        // "best"
  bool loads_back = false;  // into the very module that it is of
  bool shallow = false;     // .copy(), dict(…): a new dict of the same tensors
};

std::vector<StateAliasEvent> StateAliases(const Sight& sight);

}  // namespace torchleak::patterns
