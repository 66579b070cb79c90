// CarriedState: what a module gives in one turn is fed to it in the next, with its graph.
//
//   for x, y in chunks:
//       out, hidden = rnn(x, hidden)        # the graph of all turns so far hangs on `hidden`
//       criterion(out, y).backward(retain_graph=True)
//
// Or the same from call to call, through an attribute of the module.
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

enum class Carried : std::uint8_t {
  kThroughBackward,  // the loop runs backward() in each turn: it fails, or walks all turns again
  kWithoutGradient,  // nothing in the loop, or after it, wants the gradient
  kByAttribute,      // from one call of a forward or a step to the next
};

struct CarriedStateEvent : flow::EventBase {
  std::string state;   // "hidden", "self.hidden"
  std::string module;  // "rnn"
  Carried how = Carried::kThroughBackward;
};

// A state that anything cuts or makes anew while it is carried is none: `h = h.detach()`, a helper,
// `h = model.init_hidden()`, `reset()` of its class; nor one whose turns a backward() after the
// loop walks together.
std::vector<CarriedStateEvent> CarriedStates(const Sight& sight);

}  // namespace torchleak::patterns
