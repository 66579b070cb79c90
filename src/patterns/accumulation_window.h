// AccumulationWindow: the conditions under which gathered gradients are used.
//
//   if (i + 1) % k == 0:      if count == k:        if seen - last >= self.accumulate:
//       opt.step()                opt.step()            self.optimizer_step()
//                                 count = 0             last = seen
#pragma once

#include "patterns/sight.h"

namespace torchleak::patterns {

class AccumulationWindow {
 public:
  AccumulationWindow(const Sight& sight, const flow::FunctionResult& r) : sight_(sight), r_(r) {}

  // The branch within the loop that holds at some turns only; kNoKey when there is none.
  std::uint32_t Periodic(flow::ValueId at, flow::LoopId loop) const;
  bool Under(flow::ValueId at, std::uint32_t guard) const;
  // Under a condition on a variable that the inner loop changes and no new epoch resets.
  bool Lasting(flow::ValueId at, flow::LoopId loop, flow::LoopId epoch) const;

 private:
  bool CountsTo(std::uint32_t guard, flow::LoopId loop) const;
  bool CountsOn(flow::SlotId slot, flow::LoopId loop, flow::LoopId epoch) const;

  const Sight& sight_;
  const flow::FunctionResult& r_;
};

}  // namespace torchleak::patterns
