// AliveInBackward: a model's output that backward() does not need, and that a name holds through
// it.
//
// cross_entropy and log_softmax save what they compute, not what they are given. So of
//
//   logits = model(x)
//   loss = F.cross_entropy(logits, y)
//   loss.backward()                    # logits are in memory here for the sake of their name
//
// the logits could be gone: `del logits` before backward().
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct AliveInBackwardEvent : flow::EventBase {
  std::string name;         // "logits"
  text::Span backward;      // the call that it lives through
  bool read_later = false;  // after the backward, so that `del` alone will not do
};

std::vector<AliveInBackwardEvent> AliveInBackward(const Sight& sight);

}  // namespace torchleak::patterns
