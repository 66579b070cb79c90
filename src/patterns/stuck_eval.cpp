#include "patterns/stuck_eval.h"

#include <algorithm>

#include "flow/world.h"
#include "patterns/callee_text.h"

namespace torchleak::patterns {

using flow::FunctionResult;
using flow::GradOpKind;
using flow::LoopId;
using flow::Op;
using flow::ValueId;
using sema::Index;

namespace {

// m.eval(), m.train(…), or a call of a function that leaves a module in one of the modes.
struct ModeChange {
  ValueId value;
  std::string module;
  bool eval = false;
  bool in_callee = false;
};

class StuckFinder {
 public:
  StuckFinder(const Sight& sight, const FunctionResult& r) : sight_(sight), r_(r) {}

  void Find(std::vector<StuckEvalEvent>* out) {
    if (r_.backwards.empty() && r_.calls.empty()) return;
    Changes();
    if (std::ranges::none_of(changes_, [](const ModeChange& c) { return c.eval; })) return;
    for (std::uint32_t l = 0; l < r_.body.loops.size(); ++l) {
      if (!r_.body.loops[l].is_comprehension) InLoop(LoopId{l}, out);
    }
  }

 private:
  void Changes() {
    for (const char* method : {"eval", "train"}) {
      for (const CallSite& site : sight_.calls().OfMethod(method)) {
        if (site.r != &r_) continue;
        const bool eval = std::string_view(method) == "eval";
        if (site.call->receiver_slot == flow::kNoSlot) {  // model.to(device).train(), of any
          if (!eval) changes_.push_back({site.value, {}, false, false});
          continue;
        }
        if (eval && site.call->argc != 0) continue;
        const flow::Argument* mode = sight_.ArgumentOf(site, "mode", 0);
        const bool off = mode != nullptr && sight_.IsConstant(r_, mode->value, Op::kFalse);
        changes_.push_back({site.value,
                            flow::SlotText(sight_.module(), r_.body, site.call->receiver_slot),
                            eval || off, false});
      }
    }
    for (const flow::CallEdge& edge : r_.calls) {
      if (r_.body[edge.value].op != Op::kCall) continue;
      const flow::Call& call = r_.body.calls[r_.body[edge.value].aux];
      for (const auto& [sink, eval] : sight_.world().result(edge.callee).summary.modes) {
        const std::string module = CalleeText(sight_, r_, call, edge.callee, sink);
        if (!module.empty()) changes_.push_back({edge.value, module, eval, true});
      }
    }
  }

  bool Within(ValueId value, LoopId loop) const {
    return r_.body.Within(r_.body.LoopOf(value), loop);
  }

  void InLoop(LoopId loop, std::vector<StuckEvalEvent>* out) const {
    for (const ModeChange& change : changes_) {
      // In the loop itself: what a loop within it does is judged there.
      if (!change.eval || sight_.LoopAround(r_, change.value) != loop) continue;
      const ValueId trains = Trained(loop, change.module);
      if (trains == flow::kNoValue || BackToTrain(loop, change.module)) continue;
      const ModeChange* before = TrainBefore(loop, change.module);
      // In training mode from the start, if nothing in the file ever speaks of it.
      const bool never =
          sight_.calls().OfMethod("train").empty() && !EvalBefore(loop, change.module);
      if ((before == nullptr && !never) || LeavesAfter(change.value, loop)) continue;
      StuckEvalEvent e;
      Place(sight_, {&r_, change.value, &r_.body.calls[r_.body[change.value].aux]}, &e);
      e.strength = flow::Strength::kMedium;
      e.module = change.module;
      e.in_callee = change.in_callee;
      if (before != nullptr)
        e.flow.push_back({sight_.Span(r_.body[before->value].node), "in training mode from here"});
      e.flow.push_back({sight_.Span(r_.body[trains].node), "trained here"});
      e.flow.push_back({e.span, "in eval mode from here on"});
      e.flow.push_back({sight_.HeaderSpan(loop, r_.body), "the next turn trains in eval mode"});
      out->push_back(std::move(e));
      return;
    }
  }

  // A backward() in the loop that walks a run of this very module, or a call that is handed the
  // module and trains; kNoValue when there is none.
  ValueId Trained(LoopId loop, const std::string& module) const {
    for (const flow::CallEdge& edge : r_.calls) {
      const flow::Summary& callee = sight_.world().result(edge.callee).summary;
      if (!Within(edge.value, loop) || !callee.runs_backward || !callee.steps) continue;
      if (r_.body[edge.value].op != Op::kCall) continue;
      const flow::Call& call = r_.body.calls[r_.body[edge.value].aux];
      for (const flow::Argument& a : r_.body.Arguments(call)) {
        if (sight_.Text(r_.body[a.value].node) == module) return edge.value;
      }
      for (const flow::ForwardSummary& f : callee.forwards) {
        if (CalleeText(sight_, r_, call, edge.callee, f.module) == module) return edge.value;
      }
    }
    if (std::ranges::none_of(r_.grad_ops, [&](const flow::GradOp& op) {
          return op.kind == GradOpKind::kStep && Within(op.value, loop);
        }))
      return flow::kNoValue;
    for (const flow::Backward& b : r_.backwards) {
      if (b.through_grad || !Within(b.value, loop)) continue;
      for (unsigned i = 0; i < r_.origins.size() && i < flow::kOverflowOrigin; ++i) {
        const flow::Origin& o = r_.origins[i];
        if (!b.origins.test(i) || o.value == flow::kNoValue || r_.body[o.value].op != Op::kCall)
          continue;
        const flow::Call& call = r_.body.calls[r_.body[o.value].aux];
        if (flow::SlotText(sight_.module(), r_.body, call.callee_slot) == module) return b.value;
      }
    }
    return flow::kNoValue;
  }

  bool EvalBefore(LoopId loop, const std::string& module) const {
    return std::ranges::any_of(changes_, [&](const ModeChange& c) {
      return c.eval && c.module == module && !Within(c.value, loop);
    });
  }

  bool BackToTrain(LoopId loop, const std::string& module) const {
    return std::ranges::any_of(changes_, [&](const ModeChange& c) {
      return !c.eval && Within(c.value, loop) &&
             (c.module == module || c.module.empty() || module.starts_with(c.module + ".") ||
              c.module.starts_with(module + ".") || c.module == "self");
    });
  }

  const ModeChange* TrainBefore(LoopId loop, const std::string& module) const {
    for (const ModeChange& c : changes_) {
      if (!c.eval && c.module == module && !Within(c.value, loop)) return &c;
    }
    return nullptr;
  }

  // break or return follows in the same block: no turn comes after it.
  bool LeavesAfter(ValueId at, LoopId loop) const {
    const flow::Block& block = r_.body.BlockOf(at);
    return std::ranges::none_of(block.successors, [&](flow::BlockId s) {
      return r_.body.Within(r_.body.blocks[Index(s)].loop, loop);
    });
  }

  const Sight& sight_;
  const FunctionResult& r_;
  std::vector<ModeChange> changes_;
};

}  // namespace

std::vector<StuckEvalEvent> StuckEvals(const Sight& sight) {
  std::vector<StuckEvalEvent> events;
  if (!sight.Mentions(".eval(")) return events;
  for (const FunctionResult& r : sight.world().results()) {
    if (r.analyzed && !r.body.loops.empty()) StuckFinder(sight, r).Find(&events);
  }
  std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
  return events;
}

}  // namespace torchleak::patterns
