#include "patterns/eval_backward.h"

#include <algorithm>

#include "flow/names.h"
#include "flow/world.h"
#include "patterns/words.h"

namespace torchleak::patterns {

using flow::FunctionResult;
using flow::GradOpKind;
using flow::Op;
using sema::Index;

namespace {

// Gradients are read, not only made: attribution, attacks, statistics of gradients.
bool ReadsGradients(const Sight& sight, const FunctionResult& r) {
  for (const flow::Slot& slot : r.body.slots) {
    if (sight.module().Text(slot.attribute) == "grad") return true;
  }
  const std::string_view text = sight.Text(sight.module()[r.body.function].node);
  if (text.find("requires_grad") != text.npos || text.find("autograd") != text.npos) return true;
  return r.wants_input_grad || std::ranges::any_of(r.body.instrs, [&](const flow::Instr& in) {
           return in.op == Op::kGetAttr && sight.module().Text(sema::NameId{in.aux}) == "grad";
         });
}

bool Has(const FunctionResult& r, GradOpKind kind) {
  return std::ranges::any_of(r.grad_ops, [&](const flow::GradOp& op) { return op.kind == kind; });
}

// A caller steps an optimizer, so that the gradients may be meant for it.
bool StepsAround(const Sight& sight, const FunctionResult& r) {
  return std::ranges::any_of(sight.world().results(), [&](const FunctionResult& other) {
    return other.analyzed && Has(other, GradOpKind::kStep) &&
           std::ranges::any_of(other.calls,
                               [&](const auto& c) { return c.callee == r.body.function; });
  });
}

}  // namespace

std::vector<EvalBackwardEvent> EvalBackwards(const Sight& sight) {
  std::vector<EvalBackwardEvent> events;
  for (const FunctionResult& r : sight.world().results()) {
    if (!r.analyzed || ReadsGradients(sight, r)) continue;
    const std::string_view name = sight.module().Text(sight.module()[r.body.function].name);
    const bool by_name =
        flow::LooksLikeEvaluation(name) && !HoldsAny(name, {"train", "adapt", "tune", "attack"});
    for (const flow::Backward& b : r.backwards) {
      if (b.through_grad || !b.direct || b.retains) continue;
      bool all_eval = false, held_out = false;
      for (const flow::Forward& f : r.forwards) {
        if (f.origin >= flow::kOverflowOrigin || !b.origins.test(f.origin)) continue;
        all_eval |= f.in_eval;
        held_out |= f.over_held_out;
      }
      // Without eval(), only where no step uses the gradients: here, or in a caller.
      const bool unused = by_name && !name.starts_with("test") && !Has(r, GradOpKind::kStep) &&
                          !StepsAround(sight, r) && sight.LoopAround(r, b.value) != flow::kNoLoop &&
                          sight.IsStepLoop(r, sight.LoopAround(r, b.value));
      if (!(all_eval && (by_name || held_out)) && !unused) continue;
      EvalBackwardEvent e;
      e.function = r.body.function;
      e.span = sight.Span(b.node);
      e.strength = flow::Strength::kMedium;
      e.in_test = sight.InTest(r.body.function);
      e.record = Index(b.value);
      e.steps = Has(r, GradOpKind::kStep);
      for (const flow::Forward& f : r.forwards) {
        if (f.origin < flow::kOverflowOrigin && b.origins.test(f.origin) && f.in_eval) {
          e.flow.push_back({sight.Span(f.node), "runs in eval mode"});
          break;
        }
      }
      e.flow.push_back({e.span, "and is differentiated"});
      events.push_back(std::move(e));
    }
  }
  std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
  return events;
}

}  // namespace torchleak::patterns
