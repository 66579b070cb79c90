// WipedGradient: gradients are cleared after backward() and before the step that should use them.
//
//   loss.backward()
//   opt.zero_grad()   # the event
//   opt.step()
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct WipedGradientEvent : flow::EventBase {
  std::string optimizer;
};

std::vector<WipedGradientEvent> WipedGradients(const Sight& sight);

}  // namespace torchleak::patterns
