// HeldGradients: gradients of the last step that are cleared only after the next forward.
//
//   loss = criterion(model(x), y)
//   optimizer.zero_grad()          # until here the old gradients lay beside the new activations
//   loss.backward()
#pragma once

#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct HeldGradientsEvent : flow::EventBase {
  text::Span forward, backward;
};

// One for each loop over steps, or for a function that makes one step.
std::vector<HeldGradientsEvent> HeldGradients(const Sight& sight);

}  // namespace torchleak::patterns
