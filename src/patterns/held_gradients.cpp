#include "patterns/held_gradients.h"

#include <algorithm>
#include <optional>

#include "flow/world.h"

namespace torchleak::patterns {
namespace {

using flow::FunctionResult;
using flow::GradOp;
using flow::GradOpKind;
using sema::Index;

bool Clears(const GradOp& op) {
  return op.kind == GradOpKind::kClear || op.kind == GradOpKind::kClearAll ||
         op.kind == GradOpKind::kMayClear || op.kind == GradOpKind::kMayClearAll ||
         op.kind == GradOpKind::kCallee;
}

// zero_grad(set_to_none=False) fills the gradients and frees none, wherever it stands.
bool KeepsBuffers(const Sight& sight, const FunctionResult& r, flow::ValueId value) {
  const flow::Instr& in = r.body[value];
  if (in.op != flow::Op::kCall) return false;
  const CallSite site{&r, value, &r.body.calls[in.aux]};
  const flow::Argument* none = sight.ArgumentOf(site, "set_to_none", 0);
  return none != nullptr && r.body[none->value].op != flow::Op::kTrue;
}

// The step of one loop: forward, clear, backward, step on the same conditions, and no other clearing.
std::optional<HeldGradientsEvent> InLoop(const Sight& sight, const FunctionResult& r,
                                         const GradOp& clear) {
  const flow::LoopId loop = r.body.LoopOf(clear.value);
  const std::uint32_t guard = r.body.BlockOf(clear.value).guard;
  auto here = [&](flow::ValueId v) {
    return r.body.LoopOf(v) == loop && r.body.BlockOf(v).guard == guard;
  };
  std::optional<flow::ValueId> backward;
  std::uint32_t last_before = 0;  // what else happened to gradients before the clearing
  bool steps = false;
  for (const GradOp& op : r.grad_ops) {
    if (op.value == clear.value) continue;
    if (r.body.LoopOf(op.value) != loop || Clears(op)) return std::nullopt;
    if (op.value < clear.value) last_before = Index(op.value) + 1;
    if (op.kind == GradOpKind::kBackward && here(op.value) && op.value > clear.value)
      backward = op.value;
    steps |= op.kind == GradOpKind::kStep;
  }
  if (!steps || !backward || last_before != 0) return std::nullopt;
  for (const flow::Forward& f : r.forwards) {
    if (!here(f.value) || f.value > clear.value || f.mode == flow::GradMode::kOff) continue;
    HeldGradientsEvent e;
    e.function = r.body.function;
    e.span = sight.Span(r.body[clear.value].node);
    e.strength = clear.strength;
    e.in_test = sight.InTest(r.body.function);
    e.record = Index(clear.value);
    e.forward = sight.Span(f.node);
    e.backward = sight.Span(r.body[*backward].node);
    e.flow = {{e.forward, "runs beside the gradients of the last step"},
              {e.span, "which are freed only here"}};
    return e;
  }
  return std::nullopt;
}

}  // namespace

std::vector<HeldGradientsEvent> HeldGradients(const Sight& sight) {
  std::vector<HeldGradientsEvent> events;
  for (const FunctionResult& r : sight.world().results()) {
    if (!r.analyzed) continue;
    for (const GradOp& op : r.grad_ops) {
      if (op.kind != GradOpKind::kClear && op.kind != GradOpKind::kClearAll) continue;
      if (KeepsBuffers(sight, r, op.value)) continue;
      if (auto e = InLoop(sight, r, op)) events.push_back(std::move(*e));
    }
  }
  return events;
}

}  // namespace torchleak::patterns
