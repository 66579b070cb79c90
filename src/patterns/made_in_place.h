// What is made where it should only be used: compiled modules in a loop, layers in forward().
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

// torch.jit.trace(net, …) or script(net) of the same module in each turn.
struct CompiledAgainEvent : flow::EventBase {
  std::string call, what;  // "torch.jit.trace", "net"
};

// Not where the result is saved, on conditions that change, nor for what the loop goes to next.
std::vector<CompiledAgainEvent> CompiledAgain(const Sight& sight);

// A layer with weights that forward() makes in each call.
struct LayerInForwardEvent : flow::EventBase {
  std::string layer;  // "Linear"
  bool kept = false;  // assigned to an attribute: the weights of before are lost
};

// Not under a condition, as lazy layers are; nor where its weights are set afterwards.
std::vector<LayerInForwardEvent> LayersInForward(const Sight& sight);

}  // namespace torchleak::patterns
