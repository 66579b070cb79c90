#include "patterns/previous_output.h"

#include <algorithm>

#include "flow/events_internal.h"
#include "flow/world.h"
#include "patterns/definition.h"

namespace torchleak::patterns {

using flow::FunctionResult;
using flow::Instr;
using flow::LoopId;
using flow::Op;
using flow::SlotId;
using flow::ValueId;
using sema::Index;

namespace {

bool Trains(const FunctionResult& r, LoopId loop) {
  return std::ranges::any_of(r.backwards, [&](const flow::Backward& b) {
    return !b.through_grad && r.body.Within(r.body.LoopOf(b.value), loop);
  });
}

// del out, out = None, out = out.detach(): before the turn ends.
bool LetGo(const FunctionResult& r, SlotId slot, ValueId store, LoopId loop) {
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
    const Instr& in = r.body.instrs[i];
    if (in.op != Op::kDelete && in.op != Op::kStore) continue;
    if (SlotId{in.aux} == slot && ValueId{i} != store &&
        r.body.Within(r.body.LoopOf(ValueId{i}), loop))
      return true;
  }
  return false;
}

bool Kept(const FunctionResult& r, unsigned origin) {
  if (r.escaped.test(origin) || r.returned.test(origin) || r.kept.test(origin)) return true;
  return std::ranges::any_of(r.stores,
                             [&](const flow::Store& s) { return s.what.origins.test(origin); });
}

// The variable that holds the forward's result as it is.
ValueId StoreOf(const Sight& sight, const FunctionResult& r, ValueId forward) {
  for (std::uint32_t i = Index(forward); i < r.body.instrs.size(); ++i) {
    const Instr& in = r.body.instrs[i];
    if (in.op != Op::kStore || r.body.Operand(in, 0) != forward) continue;
    return flow::IsPrivate(sight.module(), r.body.slots[in.aux]) ? ValueId{i} : flow::kNoValue;
  }
  return flow::kNoValue;
}

}  // namespace

std::vector<PreviousOutputEvent> PreviousOutputs(const Sight& sight) {
  std::vector<PreviousOutputEvent> out;
  const flow::EventBuilder builder(sight.world(), nullptr);
  for (const FunctionResult& r : sight.world().results()) {
    for (const flow::Forward& f : r.forwards) {
      if (!f.direct || f.origin == flow::kOverflowOrigin || f.unused) continue;
      const LoopId loop = sight.LoopAround(r, f.value);
      if (loop == flow::kNoLoop || !Trains(r, loop)) continue;
      if (r.differentiated.test(f.origin) || Kept(r, f.origin)) continue;
      PreviousOutputEvent e;
      bool eval = false;
      flow::Origins one;
      one.set(f.origin);
      if (builder.GraphOf(r, one, &e.strength, &eval) != flow::Graph::kLive || eval) continue;
      const ValueId store = StoreOf(sight, r, f.value);
      if (store == flow::kNoValue) continue;
      const SlotId slot{r.body[store].aux};
      if (LetGo(r, slot, store, loop)) continue;
      e.function = r.body.function;
      e.span = sight.Span(r.body[store].node);
      e.in_test = sight.InTest(e.function);
      e.record = Index(store);
      e.variable = flow::SlotText(sight.module(), r.body, slot);
      e.flow.push_back({e.span, "held from here"});
      e.flow.push_back(
          {sight.HeaderSpan(loop, r.body), "while the next turn runs the module again"});
      out.push_back(std::move(e));
    }
  }
  std::ranges::sort(out, {}, [](const auto& e) { return e.span.begin; });
  return out;
}

}  // namespace torchleak::patterns
