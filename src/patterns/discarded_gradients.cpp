// For each backward(): the optimizers that step on it, then each call of a module of theirs (the
// outer one) that is handed what a module of another optimizer (the inner one) has made.
#include "patterns/discarded_gradients.h"

#include <algorithm>
#include <set>

#include "flow/events_internal.h"
#include "flow/world.h"
#include "patterns/callee_text.h"
#include "patterns/grad_line.h"
#include "patterns/made_of.h"
#include "patterns/optimizer_owners.h"

namespace torchleak::patterns {

using flow::Backward;
using flow::Body;
using flow::FunctionResult;
using flow::GradOpKind;
using flow::Op;
using flow::Origin;
using flow::ValueId;
using sema::Index;

namespace {

// A run of a module, with the origin of what it gave.
struct Run {
  unsigned origin = 0;
  ValueId value = flow::kNoValue;
  const flow::Call* call = nullptr;
  std::string module;
  bool in_callee = false;  // a function of this file runs the module
  bool by_owner = false;   // a module only since some optimizer steps it: without an origin
};

class Finder {
 public:
  Finder(const Sight& sight, const OptimizerOwners& owners, const FunctionResult& r)
      : sight_(sight), owners_(owners), r_(r), line_(GradLine(sight, r)) {}

  void Find(std::vector<DiscardedGradientEvent>* out) {
    FindRuns();
    if (runs_.size() < 2 || runs_.size() > 64 || line_.size() > 256) return;
    for (const Backward& b : r_.backwards) {
      if (b.direct && !b.through_grad && StepsAfter(b)) Judge(b, out);
    }
  }

 private:
  void FindRuns() {
    std::set<std::uint32_t> frozen;
    for (const flow::Forward& f : r_.forwards) {
      if (f.frozen) frozen.insert(Index(f.value));
    }
    for (unsigned i = 0; i < r_.origins.size() && i < flow::kOverflowOrigin; ++i) {
      const Origin& o = r_.origins[i];
      if (!o.makes_graph || o.value == flow::kNoValue || r_.body[o.value].op != Op::kCall) continue;
      if (frozen.contains(Index(o.value))) continue;
      const flow::Call& call = r_.body.calls[r_.body[o.value].aux];
      const bool forward = sight_.module().Text(call.method) == "forward";
      Run run{
          i, o.value, &call,
          flow::SlotText(sight_.module(), r_.body, forward ? call.receiver_slot : call.callee_slot),
          false};
      if (!run.module.empty()) runs_.push_back(std::move(run));
      if (o.callee != sema::kNoFunction) RunsInCallee(i, o, call);
    }
    RunsByOwner();
  }

  // G(z): nothing tells what G is, but that an optimizer steps its parameters.
  void RunsByOwner() {
    std::set<std::uint32_t> known;
    for (const Run& run : runs_) known.insert(Index(run.value));
    for (std::uint32_t i = 0; i < r_.body.instrs.size(); ++i) {
      const flow::Instr& in = r_.body.instrs[i];
      if (in.op != Op::kCall || known.contains(i) || r_.modes[i] == flow::GradMode::kOff) continue;
      const flow::Call& call = r_.body.calls[in.aux];
      if (call.callee_slot == flow::kNoSlot || call.method != sema::kNoName || call.fact != nullptr)
        continue;
      std::string module = flow::SlotText(sight_.module(), r_.body, call.callee_slot);
      const flow::Value& result = r_.values[i];
      if (!result.Is(flow::Kind::kUnknown) && !result.Is(flow::Kind::kTensor)) continue;
      if (std::ranges::none_of(owners_.optimizers(),
                               [&](const auto& o) { return owners_.Steps(r_, o, module); }))
        continue;
      runs_.push_back({flow::kOverflowOrigin, ValueId{i}, &call, std::move(module), false, true});
    }
  }

  void RunsInCallee(unsigned origin, const Origin& o, const flow::Call& call) {
    constexpr std::size_t kMaxRuns = 8;
    const flow::Summary& summary = sight_.world().result(o.callee).summary;
    std::set<std::string> modules;
    for (const flow::ForwardSummary& f : summary.forwards) {
      std::string module = CalleeText(sight_, r_, call, o.callee, f.module);
      if (!module.empty() && modules.size() < kMaxRuns) modules.insert(std::move(module));
    }
    for (const std::string& module : modules)
      runs_.push_back({origin, o.value, &call, module, true});
  }

  // The optimizers that step on what this backward() adds: after it and the backwards that follow
  // it at once, until the next one. False when that is not known.
  bool StepsAfter(const Backward& b) {
    steps_.clear();
    group_.clear();
    for (const GradAct& act : line_) {
      const bool before = Index(act.value) < Index(b.value);
      if (act.kind == GradOpKind::kStep) {
        if (before) group_.clear();
        if (before || act.of.empty()) continue;
        steps_.insert(act.of);
      } else if (act.kind == GradOpKind::kBackward) {
        if (!before && !steps_.empty()) break;
        group_.push_back(act.value);
      } else if (act.kind == GradOpKind::kCallee &&
                 (act.callee->steps || act.callee->runs_backward)) {
        if (before) group_.clear();
        if (!before) break;
      }
    }
    return !steps_.empty();
  }

  bool Stepped(std::string_view module, bool surely) const {
    return std::ranges::any_of(steps_, [&](const std::string& o) {
      return surely ? owners_.Steps(r_, o, module) : owners_.MayStep(r_, o, module);
    });
  }

  void Judge(const Backward& b, std::vector<DiscardedGradientEvent>* out) const {
    for (const Run& outer : runs_) {
      if (outer.by_owner || !b.origins.test(outer.origin) || !Stepped(outer.module, true)) continue;
      if (seen_.contains(Index(outer.value))) continue;
      for (const Run& inner : runs_) {
        if (inner.module == outer.module || inner.value == outer.value) continue;
        if (!inner.by_owner && !b.origins.test(inner.origin)) continue;
        if (!Takes(*outer.call, inner) || Wanted(inner)) continue;
        DiscardedGradientEvent e;
        if (Stepped(inner.module, false)) {
          if (!Shared(b, inner, outer)) continue;
          e.shared = true;
        } else if (!Discarded(b, inner.module)) {
          continue;
        }
        Fill(b, inner, outer, &e);
        seen_.insert(Index(outer.value));
        out->push_back(std::move(e));
        break;
      }
    }
  }

  bool Takes(const flow::Call& call, const Run& inner) const {
    return std::ranges::any_of(r_.body.Arguments(call),
                               [&](const flow::Argument& a) { return IsOf(a.value, inner); });
  }

  bool IsOf(ValueId value, const Run& inner) const {
    if (inner.by_owner) return MadeOf(sight_, r_, value, inner.value);
    return flow::Deep(r_, r_.values[Index(value)]).origins.test(inner.origin);
  }

  // Frozen by a helper, or the gradient by its output is asked for: autograd.grad(…, fake).
  bool Wanted(const Run& inner) const {
    for (const flow::Call& call : r_.body.calls) {
      const auto arguments = r_.body.Arguments(call);
      bool is_module = false, is_false = false;
      for (const flow::Argument& a : arguments) {
        is_false |= r_.body[a.value].op == Op::kFalse;
        is_module |=
            r_.body[a.value].op == Op::kLoad && sight_.Text(r_.body[a.value].node) == inner.module;
      }
      if (is_module && is_false) return true;
      if (call.fact == nullptr || (call.fact->effects & facts::kGradOfInputs) == 0) continue;
      int position = 0;
      for (const flow::Argument& a : arguments) {
        const bool keyword = a.keyword != sema::kNoName;
        const bool inputs = keyword ? sight_.module().Text(a.keyword) == "inputs" : position++ == 1;
        if (inputs && IsOf(a.value, inner)) return true;
      }
    }
    return false;
  }

  // Both step on both losses; the other one runs `outer` on the same output, and only this one runs
  // it on something that no module made as well: this is the discriminator's loss.
  bool Shared(const Backward& b, const Run& inner, const Run& outer) const {
    bool other_walks = false, on_real = false;
    for (const Backward& other : r_.backwards) {
      if (other.value == b.value || other.through_grad || inner.by_owner) continue;
      if (!other.origins.test(inner.origin)) continue;
      if (std::ranges::find(group_, other.value) == group_.end()) continue;
      for (const Run& run : runs_) {
        if (run.module != outer.module || run.value == outer.value) continue;
        const bool same = Takes(*run.call, inner);
        if (same && other.origins.test(run.origin)) other_walks = true;
        if (!same && other.origins.test(run.origin)) return false;
        if (!same && b.origins.test(run.origin)) on_real = true;
      }
    }
    return other_walks && on_real;
  }

  // The next thing done to the gradients of `module` after the backward() is to clear them.
  bool Discarded(const Backward& b, const std::string& module) const {
    std::set<std::string> owners;
    for (const std::string& o : owners_.optimizers()) {
      if (owners_.Steps(r_, o, module)) owners.insert(o);
    }
    if (owners.empty()) return false;
    const flow::LoopId loop = sight_.LoopAround(r_, b.value);
    for (const bool again : {false, true}) {
      for (const GradAct& act : line_) {
        const bool later = Index(act.value) > Index(b.value);
        if (later == again) continue;
        if (again && (loop == flow::kNoLoop || !r_.body.Within(r_.body.LoopOf(act.value), loop)))
          continue;
        if (act.kind == GradOpKind::kStep && owners.contains(act.of)) return false;
        if (act.kind == GradOpKind::kCallee) {
          if (act.callee->steps || act.callee->runs_backward) continue;
          return true;
        }
        if (!act.Clears()) continue;
        if (owners.contains(act.of) || act.of == module || act.of.empty()) return true;
      }
    }
    return ClearedElsewhere(owners);
  }

  // Where the module is trained, its gradients are cleared first.
  bool ClearedElsewhere(const std::set<std::string>& owners) const {
    for (const FunctionResult& other : sight_.world().results()) {
      if (!other.analyzed || &other == &r_ || other.grad_ops.empty()) continue;
      bool cleared = false, backward = false;
      for (const GradAct& act : GradLine(sight_, other)) {
        if (act.Clears() && (owners.contains(act.of) || act.of_module)) cleared = !backward;
        if (act.kind == GradOpKind::kBackward) backward = true;
        if (act.kind == GradOpKind::kStep && owners.contains(act.of)) return cleared && backward;
      }
    }
    return false;
  }

  void Fill(const Backward& b, const Run& inner, const Run& outer,
            DiscardedGradientEvent* e) const {
    Place(sight_, {&r_, outer.value, outer.call}, e);
    e->strength = flow::Strength::kMedium;
    e->inner = inner.module;
    e->outer = outer.module;
    for (const std::string& o : steps_) {
      if (owners_.Steps(r_, o, outer.module)) e->optimizer = o;
    }
    e->flow.push_back({sight_.Span(r_.body[inner.value].node), "made with its graph here"});
    if (sight_.Span(r_.body[inner.value].node).begin != e->span.begin)
      e->flow.push_back({e->span, "`" + outer.module + "` judges it, the graph still attached"});
    e->flow.push_back({sight_.Span(b.node), "walks back through `" + inner.module + "`"});
    for (const GradAct& act : line_) {
      if (act.kind == GradOpKind::kStep && act.of == e->optimizer &&
          Index(act.value) > Index(b.value)) {
        e->flow.push_back(
            {sight_.Span(r_.body[act.value].node), "steps `" + outer.module + "` only"});
        break;
      }
    }
  }

  const Sight& sight_;
  const OptimizerOwners& owners_;
  const FunctionResult& r_;
  std::vector<GradAct> line_;
  std::vector<Run> runs_;
  std::set<std::string> steps_;  // of the backward() looked at
  std::vector<ValueId> group_;   // backwards that the same steps use
  mutable std::set<std::uint32_t> seen_;
};

}  // namespace

std::vector<DiscardedGradientEvent> DiscardedGradients(const Sight& sight) {
  std::vector<DiscardedGradientEvent> events;
  if (sight.Mentions("toggle_optimizer")) return events;  // it freezes all but one
  const OptimizerOwners owners(sight);
  if (owners.optimizers().empty()) return events;
  for (const FunctionResult& r : sight.world().results()) {
    if (r.analyzed && !r.backwards.empty()) Finder(sight, owners, r).Find(&events);
  }
  std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
  return events;
}

}  // namespace torchleak::patterns
