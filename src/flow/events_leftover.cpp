// Gradients that another optimizer's backward() left in the modules that this one is about to step.
//
//   g_loss = bce(disc(gen(z)), real); g_loss.backward(); g_opt.step()     # fills disc, too
//   d_loss = bce(disc(x), real);      d_loss.backward(); d_opt.step()     # on both gradients
//
// Told only where it is certain: all in one straight line, cleared by nothing before it but the end
// of the turn before, and every module of the second graph is in the first one as well, so that it
// does not matter which of them the optimizer owns. Who clears at the top and steps on two
// backward() passes may mean to (BicycleGAN does).
#include <algorithm>
#include <map>
#include <set>

#include "flow/events_internal.h"
#include "flow/grad_clearing.h"
#include "flow/names.h"

namespace torchleak::flow {
namespace {

using Modules = std::set<std::uint32_t>;  // slots

// criterion(out, y): what is called makes the graph of its arguments longer and has no weights.
bool IsLossCall(const sema::Module& module, const FunctionResult& r, const Origin& o) {
  if (o.kind != OriginKind::kCall || o.value == kNoValue || r.body[o.value].op != Op::kCall)
    return false;
  const Call& call = r.body.calls[r.body[o.value].aux];
  return LooksLikeLoss(call.callee_slot != kNoSlot ? SlotText(module, r.body, call.callee_slot)
                                                   : std::string(module.Text(call.method)));
}

// The modules whose parameters a backward() fills; empty when some of the graph is not known.
Modules ModulesOf(const sema::Module& module, const FunctionResult& r, const Backward& b) {
  std::map<unsigned, const Forward*> by_origin;
  for (const Forward& f : r.forwards) by_origin.emplace(f.origin, &f);
  Modules out;
  const Origins graphs = b.origins & r.graph_mask;
  for (unsigned i = 0; i < kOverflowOrigin; ++i) {
    if (!graphs.test(i) || IsLossCall(module, r, r.origins[i])) continue;
    const auto forward = by_origin.find(i);
    if (forward == by_origin.end() || forward->second->module_slot == kNoSlot) return {};
    if (!forward->second->frozen) out.insert(Index(forward->second->module_slot));
  }
  return graphs.test(kOverflowOrigin) ? Modules{} : out;
}

bool Clears(const GradOp& op, std::uint32_t key) {
  switch (op.kind) {
    case GradOpKind::kClear:
    case GradOpKind::kMayClear:
      return op.key == key;
    case GradOpKind::kClearAll:
    case GradOpKind::kMayClearAll:
    case GradOpKind::kCallee:
      return true;
    default:
      return false;
  }
}

}  // namespace

void EventBuilder::LeftOver(const FunctionResult& r, const GradOp& step,
                            const std::vector<GradOp>& line) const {
  const Backward *own = nullptr, *other = nullptr;
  const GradOp* others_step = nullptr;
  // Backwards from the step: its own backward(), another optimizer's step, that one's backward().
  for (auto op = line.rbegin(); op != line.rend(); ++op) {
    if (Index(op->value) >= Index(step.value)) continue;
    if (Clears(*op, step.key)) return;
    if (op->kind == GradOpKind::kStep) {
      if (op->key == step.key) return;
      if (own != nullptr && others_step == nullptr) others_step = &*op;
    }
    if (op->kind != GradOpKind::kBackward) continue;
    const auto b = std::find_if(r.backwards.begin(), r.backwards.end(),
                                [&](const Backward& x) { return x.value == op->value; });
    if (b == r.backwards.end()) return;
    if (own == nullptr) {
      own = &*b;
    } else if (others_step != nullptr) {
      other = &*b;
      break;
    }
  }
  if (other == nullptr) return;
  bool cleared_after = false;
  for (const GradOp& op : line) {
    if (!Clears(op, step.key)) continue;
    if (Index(op.value) < Index(other->value)) return;
    cleared_after |= Index(op.value) > Index(step.value);
  }
  if (!cleared_after) return;
  const Modules mine = ModulesOf(module(), r, *own);
  const Modules theirs = ModulesOf(module(), r, *other);
  if (mine.empty() || !std::includes(theirs.begin(), theirs.end(), mine.begin(), mine.end()))
    return;
  StaleStepEvent e;
  e.function = r.body.function;
  e.in_test = InTest(r.body.function);
  e.span = Span(r.body[step.value].node);
  e.record = Index(own->value);
  e.strength = Strength::kMedium;
  e.left_over = true;
  e.optimizer = StepText(module(), r.body, step.value);
  const std::string filled = SlotText(r.body, SlotId{*mine.begin()});
  e.flow.push_back({Span(other->node), "this fills the gradients of `" + filled + "` as well"});
  e.flow.push_back({Span(r.body[others_step->value].node),
                    "another optimizer steps here, and nothing clears those gradients"});
  e.flow.push_back({Span(own->node), "its own gradients are added to them"});
  e.flow.push_back({e.span, "the optimizer steps on the sum"});
  out_->stale_steps.push_back(std::move(e));
}

void EventBuilder::LeftOvers() {
  for (const FunctionResult& r : world_.results()) {
    if (!r.analyzed || r.backwards.size() < 2) continue;
    std::map<std::uint32_t, std::vector<GradOp>> lines;  // by block
    for (const GradOp& op : r.grad_ops) lines[r.body.block_of[Index(op.value)]].push_back(op);
    for (const auto& [block, line] : lines) {
      for (const GradOp& op : line) {
        if (op.kind == GradOpKind::kStep && op.key != kNoKey) LeftOver(r, op, line);
      }
    }
  }
}

}  // namespace torchleak::flow
