// One function for training and evaluation: run_epoch(model, loader, optimizer, mode).
//
//   if mode == "train": model.train()          # train() and eval() on the two sides of a test,
//   else:               model.eval()
//   loss = criterion(model(x), y)              # the module runs on both,
//   if mode == "train": loss.backward()        # and backward() on one of them only
//
// On the other side every batch builds a graph that nobody walks. Tests are compared by their text.
#include <algorithm>

#include "flow/events_internal.h"

namespace torchleak::flow {

// Does the code under `guard` run only if a condition of this text holds (or does not)?
bool EventBuilder::UnderTest(const Body& body, std::uint32_t guard, std::string_view text,
                             bool negated) const {
  for (std::uint32_t g = guard; g != kNoKey; g = body.guards[g].parent) {
    if (body.guards[g].negated == negated && Text(body.guards[g].condition) == text) return true;
  }
  return false;
}

bool EventBuilder::EvaluatesByBranch(const FunctionResult& r, const Forward& f) const {
  if (f.module_slot == kNoSlot || f.origin == kOverflowOrigin || !f.direct) return false;
  const Body& body = r.body;
  const std::uint32_t here = body.BlockOf(f.value).guard;
  for (std::uint32_t i = 0; i < body.instrs.size(); ++i) {
    if (body.instrs[i].op != Op::kCall) continue;
    const Call& call = body.calls[body.instrs[i].aux];
    if (call.receiver_slot != f.module_slot || call.method == sema::kNoName ||
        module().Text(call.method) != "eval")
      continue;
    const std::uint32_t g = body.BlockOf(ValueId{i}).guard;
    if (g == kNoKey || i > Index(f.value)) continue;
    const std::string_view test = Text(body.guards[g].condition);
    const bool evaluates_if = !body.guards[g].negated;
    if (UnderTest(body, here, test, true) || UnderTest(body, here, test, false)) continue;
    bool walked = false, only_there = true;
    for (const Backward& b : r.backwards) {
      if (!b.origins.test(f.origin)) continue;
      walked = true;
      only_there &= UnderTest(body, body.BlockOf(b.value).guard, test, evaluates_if);
    }
    if (walked && only_there) return true;
  }
  return false;
}

}  // namespace torchleak::flow
