// DiscardedGradient: a backward() walks through a module whose gradients nobody wants there.
//
//   fake = gen(z)
//   (bce(disc(real), 1) + bce(disc(fake), 0)).backward()   # through `gen` as well
//   d_opt.step()                                           # steps `disc` only
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct DiscardedGradientEvent : flow::EventBase {
  std::string inner;      // the module that is walked for nothing: `gen`
  std::string outer;      // the module that is trained: `disc`
  std::string optimizer;  // that steps
  bool shared = false;    // another loss trains `inner` on the same output, with both steps after
};

std::vector<DiscardedGradientEvent> DiscardedGradients(const Sight& sight);

}  // namespace torchleak::patterns
