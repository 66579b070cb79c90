// How optimizers are made and used: where they are made anew, how their parameters are grouped, how
// they clear gradients.
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

// optimizer.zero_grad(set_to_none=False)
struct ClearToZerosEvent : flow::EventBase {
  std::string receiver;
};

// Not in files that record CUDA graphs or write gradients by hand, which need them to stay in
// place.
std::vector<ClearToZerosEvent> ClearsToZeros(const Sight& sight);

// A group of its own for each parameter: {"params": [p], …} in a loop over parameters.
struct SingleGroupEvent : flow::EventBase {};

// At the optimizer when it is made in the same function, else at the group.
std::vector<SingleGroupEvent> SingleGroups(const Sight& sight);

// An optimizer over the same parameters is made in each turn: its moments are lost.
struct NewOptimizerEvent : flow::EventBase {
  std::string name;        // "Adam"
  bool in_helper = false;  // the span is the call of a function that makes it
};

std::vector<NewOptimizerEvent> NewOptimizers(const Sight& sight);

}  // namespace torchleak::patterns
