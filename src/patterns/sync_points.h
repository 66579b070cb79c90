// Where the program waits for the device more often than it needs to: `.item()` and its like.
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct SyncEvent : flow::EventBase {
  enum class What : std::uint8_t {
    kElements,    // each element of a tensor by itself
    kInnerLoop,   // in each turn of a loop within a step
    kDebugText,   // for a text that is formatted and thrown away when debugging is off
    kRarelyUsed,  // in each step, for a value that is looked at in some
    kBarrier,     // torch.cuda.synchronize() in each step, and nobody measures
  } what = What::kElements;
  std::string call;     // ".item()"
  bool in_step = true;  // known to happen in each step, or in a forward
};

// Never the one `.item()` of a step that logging takes, nor what lies on the host.
std::vector<SyncEvent> SyncPoints(const Sight& sight);

}  // namespace torchleak::patterns
