// Copies between host and device that need not be.
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct TransferEvent : flow::EventBase {
  enum class What : std::uint8_t {
    kRoundTrip,    // x.cpu()….cuda(): to the host and back
    kTwice,        // x.cuda().to(device)
    kSameAgain,    // the same tensor of the host in each step
    kModuleAgain,  // a module in each step
    kMadeOnHost    // torch.zeros(…).to(device) in each step
  } what = What::kRoundTrip;
  std::string value;
};

std::vector<TransferEvent> RedundantTransfers(const Sight& sight);

// `model = make(cfg).cuda()` in a loop: the old one lives until the new one is there.
struct ReboundEvent : flow::EventBase {
  std::string name;
  bool checkpoint = false;  // torch.load
};

// Not where the name is deleted or overwritten before the next turn.
std::vector<ReboundEvent> Rebound(const Sight& sight);

// Many tensors of one number each, kept in a list: 0.7 kB for what a float or an array says in 8 B.
struct ScalarTensorsEvent : flow::EventBase {
  std::string where;
};

std::vector<ScalarTensorsEvent> ScalarTensors(const Sight& sight);

}  // namespace torchleak::patterns
