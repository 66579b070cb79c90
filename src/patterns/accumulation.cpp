#include "patterns/accumulation.h"

#include <algorithm>
#include <set>

#include "flow/world.h"
#include "patterns/accumulation_window.h"
#include "patterns/grad_line.h"
#include "patterns/optimizer_owners.h"

namespace torchleak::patterns {

using flow::Body;
using flow::FunctionResult;
using flow::GradOpKind;
using flow::LoopId;
using flow::Op;
using flow::ValueId;
using sema::Index;

namespace {

class Finder {
 public:
  Finder(const Sight& sight, const OptimizerOwners& owners, const FunctionResult& r,
         std::vector<BrokenAccumulationEvent>* out)
      : sight_(sight),
        owners_(owners),
        r_(r),
        line_(GradLine(sight, r)),
        window_(sight, r),
        out_(out) {}

  void Find() {
    if (line_.size() > 256) return;  // generated code
    for (const GradAct& act : line_) {
      if (act.kind == GradOpKind::kBackward) loops_.insert(Index(sight_.LoopAround(r_, act.value)));
    }
    loops_.erase(Index(flow::kNoLoop));
    for (const std::uint32_t loop : loops_) {
      InLoop(LoopId{loop});
      AroundLoop(LoopId{loop});
      AcrossEpochs(LoopId{loop});
    }
  }

  // `with accelerator.accumulate(model):`
  void InContext(const text::Span& block) {
    const GradAct *backward = nullptr, *step = nullptr;
    auto inside = [&](const GradAct& act) {
      const text::Span at = sight_.Span(r_.body[act.value].node);
      return at.begin >= block.begin && at.end <= block.end;
    };
    for (const GradAct& act : line_) {
      if (!inside(act)) continue;
      if (act.kind == GradOpKind::kBackward && backward == nullptr) backward = &act;
      if (act.kind == GradOpKind::kStep) step = &act;
    }
    if (backward == nullptr || step == nullptr) return;
    for (const GradAct& act : line_) {
      if (!inside(act) || !act.Clears() || act.of.empty() || act.MayClear()) continue;
      if (act.of_module) {
        Report(Misfit::kModuleCleared, act, *step, *backward, flow::kNoLoop);
      } else if (Index(act.value) < Index(backward->value)) {
        Report(Misfit::kClearedTooEarly, act, *step, *backward, flow::kNoLoop);
      }
    }
  }

 private:
  bool SameTarget(const GradAct& clear, const GradAct& step) const {
    if (clear.of.empty()) return false;
    if (clear.of_module) return owners_.MayStep(r_, step.of, clear.of);
    return clear.key == step.key || clear.of == step.of;
  }

  void InLoop(LoopId loop) {
    const Body& body = r_.body;
    const GradAct* backward = nullptr;
    std::set<std::uint32_t> keys;
    for (const GradAct& act : line_) {
      if (!body.Within(body.LoopOf(act.value), loop)) continue;
      if (act.kind == GradOpKind::kBackward) backward = backward == nullptr ? &act : backward;
      if (act.kind == GradOpKind::kStep) keys.insert(act.key);
      if (act.kind == GradOpKind::kCallee) return;
    }
    if (backward == nullptr || keys.size() != 1) return;
    const bool leaves =
        sight_.Text(body.loops[Index(loop)].node).find("continue") != std::string_view::npos;
    for (const GradAct& step : line_) {
      if (step.kind != GradOpKind::kStep || sight_.LoopAround(r_, step.value) != loop) continue;
      const std::uint32_t guard = window_.Periodic(step.value, loop);
      for (const GradAct& clear : line_) {
        if (!clear.Clears() || clear.MayClear() || sight_.LoopAround(r_, clear.value) != loop)
          continue;
        if (!SameTarget(clear, step)) continue;
        const std::uint32_t own = window_.Periodic(clear.value, loop);
        if (guard != flow::kNoKey && own == flow::kNoKey && !BackwardUnder(guard) &&
            Unconditional(clear.value, loop)) {
          Report(Misfit::kClearedEachBatch, clear, step, *backward, loop);
          return;
        }
        if (guard == flow::kNoKey && own != flow::kNoKey && !leaves && OnlyClear(step, loop) &&
            !BackwardUnder(own) && Unconditional(step.value, loop)) {
          Report(Misfit::kSteppedEachBatch, clear, step, *backward, loop);
          return;
        }
      }
    }
  }

  // for part in parts: zero_grad(), backward() — and step() after that loop.
  void AroundLoop(LoopId loop) {
    const Body& body = r_.body;
    const GradAct *clear = nullptr, *backward = nullptr, *step = nullptr;
    for (const GradAct& act : line_) {
      if (act.kind == GradOpKind::kCallee || act.MayClear()) return;
      const bool inside = body.Within(body.LoopOf(act.value), loop);
      if (inside && act.kind == GradOpKind::kStep) return;
      if (inside && act.kind == GradOpKind::kBackward) backward = &act;
      if (inside && act.Clears() && Unconditional(act.value, loop)) clear = &act;
      const bool after = backward != nullptr && !inside && step == nullptr &&
                         sight_.LoopAround(r_, act.value) == body.loops[Index(loop)].parent;
      if (after && act.kind == GradOpKind::kStep) step = &act;
    }
    if (clear == nullptr || step == nullptr || !SameTarget(*clear, *step)) return;
    if (sight_.LoopAround(r_, clear->value) != loop || !Unconditional(backward->value, loop))
      return;
    if (Index(clear->value) < Index(backward->value))
      Report(Misfit::kClearedEachBatch, *clear, *step, *backward, loop);
  }

  bool BackwardUnder(std::uint32_t guard) const {
    return std::ranges::any_of(line_, [&](const GradAct& act) {
      return act.kind == GradOpKind::kBackward && window_.Under(act.value, guard);
    });
  }

  bool Unconditional(ValueId at, LoopId loop) const {
    const std::uint32_t guard = r_.body.BlockOf(at).guard;
    return guard == flow::kNoKey || !r_.body.Within(r_.body.guards[guard].loop, loop);
  }

  bool OnlyClear(const GradAct& step, LoopId loop) const {
    return std::ranges::count_if(line_, [&](const GradAct& act) {
             return act.Clears() && r_.body.Within(r_.body.LoopOf(act.value), loop) &&
                    (act.MayClear() || SameTarget(act, step) || act.of.empty());
           }) == 1;
  }

  // zero_grad() at the top of each epoch, around a window that a counter of all epochs ends.
  void AcrossEpochs(LoopId loop) {
    const Body& body = r_.body;
    const LoopId epoch = body.loops[Index(loop)].parent;
    if (epoch == flow::kNoLoop) return;
    const GradAct *step = nullptr, *backward = nullptr;
    for (const GradAct& act : line_) {
      if (sight_.LoopAround(r_, act.value) != loop) continue;
      if (act.kind == GradOpKind::kBackward) backward = &act;
      const bool steps =
          act.kind == GradOpKind::kStep || (act.kind == GradOpKind::kCallee && act.callee->steps);
      if (!steps) continue;
      if (!window_.Lasting(act.value, loop, epoch)) return;
      step = &act;
    }
    if (step == nullptr || backward == nullptr) return;
    for (const GradAct& clear : line_) {
      if (!clear.Clears() || clear.MayClear() || clear.of_module || clear.of.empty()) continue;
      if (sight_.LoopAround(r_, clear.value) != epoch || !Unconditional(clear.value, epoch))
        continue;
      if (Index(clear.value) > Index(backward->value)) continue;
      if (step->kind == GradOpKind::kStep && !SameTarget(clear, *step)) continue;
      Report(Misfit::kClearedEachEpoch, clear, *step, *backward, epoch);
    }
  }

  void Report(Misfit misfit, const GradAct& clear, const GradAct& step, const GradAct& backward,
              LoopId loop) {
    const flow::Instr& in = r_.body[clear.value];
    if (in.op != Op::kCall) return;
    BrokenAccumulationEvent e;
    Place(sight_, {&r_, clear.value, &r_.body.calls[in.aux]}, &e);
    e.misfit = misfit;
    e.optimizer = clear.of;
    e.flow.push_back({sight_.Span(r_.body[backward.value].node), "gradients are gathered here"});
    e.flow.push_back({e.span, "and cleared here"});
    e.flow.push_back({sight_.Span(r_.body[step.value].node), "the optimizer steps here"});
    if (loop != flow::kNoLoop)
      e.flow.push_back({sight_.HeaderSpan(loop, r_.body), "in the turns of this loop"});
    out_->push_back(std::move(e));
  }

  const Sight& sight_;
  const OptimizerOwners& owners_;
  const FunctionResult& r_;
  std::vector<GradAct> line_;
  AccumulationWindow window_;
  std::set<std::uint32_t> loops_;  // that hold a backward() themselves
  std::vector<BrokenAccumulationEvent>* out_;
};

// Every Accelerator made in this file gathers nothing.
bool GathersNothing(const Sight& sight) {
  const auto made = sight.calls().Of("accelerate.Accelerator");
  return !made.empty() && std::ranges::all_of(made, [&](const CallSite& site) {
    for (const flow::Argument& a : site.r->body.Arguments(*site.call)) {
      if (a.stars != 0) return false;
      if (a.keyword == sema::kNoName) continue;
      if (sight.module().Text(a.keyword).starts_with("gradient_accumulation"))
        return sight.Text(site.r->body[a.value].node) == "1";
    }
    return true;
  });
}

}  // namespace

std::vector<BrokenAccumulationEvent> BrokenAccumulations(const Sight& sight) {
  std::vector<BrokenAccumulationEvent> events;
  if (!sight.Mentions("zero_grad")) return events;
  const OptimizerOwners owners(sight);
  for (const FunctionResult& r : sight.world().results()) {
    if (r.analyzed && r.grad_ops.size() > 2) Finder(sight, owners, r, &events).Find();
  }
  const auto contexts = sight.calls().OfMethod("accumulate");
  if (!contexts.empty() && !GathersNothing(sight)) {
    for (const CallSite& site : contexts) {
      const syntax::NodeId with = sight.Around(site.call->node, syntax::Kind::kWithStatement);
      if (with == syntax::kNoNode) continue;
      const syntax::NodeId body = sight.module().tree().Child(with, syntax::Field::kBody);
      if (body == syntax::kNoNode || sight.Span(body).begin < sight.Span(site.call->node).end)
        continue;
      Finder(sight, owners, *site.r, &events).InContext(sight.Span(body));
    }
  }
  std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
  return events;
}

}  // namespace torchleak::patterns
