#include "patterns/create_graph.h"

#include <algorithm>
#include <set>

#include "flow/grad_clearing.h"
#include "flow/names.h"
#include "flow/world.h"
#include "patterns/grad_line.h"
#include "patterns/words.h"

namespace torchleak::patterns {

using flow::FunctionResult;
using flow::GradOpKind;
using flow::Op;
using sema::Index;

namespace {

bool Creates(const Sight& sight, const CallSite& site, int position) {
  const flow::Argument* flag = sight.ArgumentOf(site, "create_graph", position);
  return flag != nullptr && sight.IsConstant(*site.r, flag->value, Op::kTrue);
}

// Some optimizer's gradients are clear after a call, though they were not before.
bool LeavesClean(const flow::Summary& callee) {
  auto clears = [](const flow::GradTable& table) {
    return (table[flow::kEntryDirty] >> flow::kFresh & 1) != 0;
  };
  return clears(callee.grad_default) ||
         std::ranges::any_of(callee.grad_effects, [&](const auto& e) { return clears(e.table); });
}

// Does it, or what it calls, set gradients to None? With `zeroed`: does it write zeros?
// `after`: of what may clear, only what comes later counts, where no loop brings it round again.
bool Resets(const Sight& sight, const FunctionResult& r, flow::ValueId after, bool* zeroed) {
  for (const GradAct& act : GradLine(sight, r)) {
    if (act.kind == GradOpKind::kCallee) {
      if (LeavesClean(*act.callee)) return true;
      continue;
    }
    const bool made = act.kind == GradOpKind::kClear && act.of.empty();  // a new optimizer
    if (!act.Clears() || made) continue;
    const bool before = after != flow::kNoValue && Index(act.value) < Index(after) &&
                        sight.LoopAround(r, after) == flow::kNoLoop;
    if (act.MayClear() && before) continue;
    if (!act.keeps_tensors) return true;
    *zeroed = true;
  }
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {  // del p.grad
    const flow::Instr& in = r.body.instrs[i];
    if (in.op == Op::kDelete && in.aux < r.body.slots.size() &&
        sight.module().Text(r.body.slots[in.aux].attribute) == "grad")
      return true;
  }
  return false;
}

// The function, and those that call it, a few levels up.
bool ResetAround(const Sight& sight, const CallSite& site, bool* zeroed) {
  constexpr std::size_t kMaxFunctions = 16;
  std::vector<sema::FunctionId> todo{site.r->body.function};
  std::set<std::uint32_t> seen;
  for (std::size_t i = 0; i < todo.size() && i < kMaxFunctions; ++i) {
    if (!seen.insert(Index(todo[i])).second) continue;
    const flow::ValueId after = i == 0 ? site.value : flow::kNoValue;
    if (Resets(sight, sight.world().result(todo[i]), after, zeroed)) return true;
    for (const FunctionResult& other : sight.world().results()) {
      const bool calls = other.analyzed && std::ranges::any_of(other.calls, [&](const auto& c) {
                           return c.callee == todo[i];
                         });
      if (calls) todo.push_back(other.body.function);
    }
  }
  return false;
}

void Judge(const Sight& sight, const CallSite& site, std::vector<CreateGraphEvent>* out) {
  const FunctionResult& r = *site.r;
  CreateGraphEvent e;
  Place(sight, site, &e);
  e.reset = ResetAround(sight, site, &e.zeroed);
  e.stepped = std::ranges::any_of(
      r.grad_ops, [](const flow::GradOp& op) { return op.kind == GradOpKind::kStep; });
  e.repeated = sight.LoopAround(r, site.value) != flow::kNoLoop;
  e.flow.push_back({e.span, "each `.grad` gets a graph that leads back to its parameter"});
  if (e.repeated)
    e.flow.push_back({sight.HeaderSpan(sight.LoopAround(r, site.value), r.body),
                      "again in every turn of this loop"});
  out->push_back(std::move(e));
}

}  // namespace

std::vector<CreateGraphEvent> CreateGraphBackwards(const Sight& sight) {
  std::vector<CreateGraphEvent> events;
  if (!sight.Mentions("create_graph")) return events;
  for (const CallSite& site : sight.calls().OfMethod("backward")) {
    if (site.call->qualified) continue;
    if (Creates(sight, site, 2)) Judge(sight, site, &events);
  }
  for (const CallSite& site : sight.calls().Of("torch.autograd.backward")) {
    if (Creates(sight, site, 3)) Judge(sight, site, &events);
  }
  for (const CallSite& site : sight.calls().OfMethod("manual_backward")) {
    if (Creates(sight, site, -1)) Judge(sight, site, &events);
  }
  std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
  return events;
}

namespace {

// Its result, or what it is part of, may be differentiated once more.
bool UsedForLoss(const FunctionResult& r, flow::ValueId value) {
  const flow::Origins made = r.values[Index(value)].origins;
  return std::ranges::any_of(r.backwards, [&](const flow::Backward& b) {
    return b.value != value && (b.origins & made).any();
  });
}

// An evaluation, or one that makes samples.
bool OnlyInfers(std::string_view name) {
  return flow::LooksLikeEvaluation(name) || HoldsAny(name, {"sample", "sampling", "langevin"});
}

// A module whose forward() this is runs for evaluation somewhere in the file: in eval mode, or in a
// function for that which trains nothing.
bool RunsForEvaluation(const Sight& sight, sema::FunctionId forward) {
  for (const FunctionResult& r : sight.world().results()) {
    if (!r.analyzed) continue;
    const bool trains =
        std::ranges::any_of(r.backwards, [](const auto& b) { return !b.through_grad && b.direct; });
    const bool by_name =
        flow::LooksLikeEvaluation(sight.module().Text(sight.module()[r.body.function].name));
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      if (r.body.instrs[i].op != Op::kCall) continue;
      const flow::Call& call = r.body.calls[r.body.instrs[i].aux];
      if (call.callee == flow::kNoValue) continue;
      const flow::Value& module = r.values[Index(call.callee)];
      if (!module.Is(flow::Kind::kModule) && !module.Is(flow::Kind::kInstance)) continue;
      if (module.ref >= sight.module().class_count()) continue;
      if (sight.module().FindMethod(sema::ClassId{module.ref}, "forward") != forward) continue;
      if (module.Has(flow::kInEvalMode) || (by_name && !trains)) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<InferenceGraphEvent> InferenceGraphs(const Sight& sight) {
  std::vector<InferenceGraphEvent> events;
  if (!sight.Mentions("create_graph")) return events;
  for (const CallSite& site : sight.calls().Of("torch.autograd.grad")) {
    const FunctionResult& r = *site.r;
    if (!Creates(sight, site, 4) || UsedForLoss(r, site.value)) continue;
    const sema::Function& function = sight.module()[r.body.function];
    InferenceGraphEvent e;
    Place(sight, site, &e);
    const bool trains = std::ranges::any_of(
        r.backwards, [&](const flow::Backward& b) { return b.value != site.value; });
    if (sight.world().role(r.body.function) == flow::Role::kForward) {
      e.in_forward = true;
      if (!RunsForEvaluation(sight, r.body.function)) continue;
    } else if (trains || !OnlyInfers(sight.module().Text(function.name)) ||
               (r.returned & r.values[Index(site.value)].origins & r.graph_mask).any()) {
      continue;
    }
    e.flow.push_back({e.span, "keeps a graph of the gradient, for a second derivative"});
    events.push_back(std::move(e));
  }
  std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
  return events;
}

}  // namespace torchleak::patterns
