// The zero_grad automaton: does an optimizer step on gradients that hold more than its own
// backward?
//
// For each optimizer a state is followed through the function, all six entry states at once, so
// that the result is a transition that callers compose:
//
//   kEntry   nothing happened yet          kEntryDirty  backward() ran, what was before is unknown
//   kFresh   cleared                       kDirty       cleared, then backward(): all is well
//   kStale   stepped, not cleared since    kStaleDirty  stepped, not cleared, backward(): adds up
//
// A step in state kStaleDirty is the finding. Loops run at least once; a clear under a condition
// counts as a clear (accumulation guards), since quiet is better than wrong.
#pragma once

#include <string>

#include "flow/result.h"

namespace torchleak::flow {

class World;

enum GradState : unsigned {
  kEntryState,
  kFresh,
  kDirty,
  kStale,
  kStaleDirty,
  kEntryDirty,
  kGradStates
};

// The optimizer of a step by its text: `opt` of opt.step() and of scaler.step(opt).
std::string StepText(const sema::Module& module, const Body& body, ValueId step);

// Fills stale_steps and the grad part of the summary of one analysed function.
void SummarizeGradEffects(const World& world, FunctionResult& result);

}  // namespace torchleak::flow
