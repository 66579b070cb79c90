// For each optimizer one sweep over the blocks: has it gradients of its own, and which clearing
// took them away? Where two ways meet that disagree, nothing is known.
#include "patterns/wiped_gradients.h"

#include <algorithm>
#include <map>
#include <set>

#include "flow/grad_clearing.h"
#include "flow/world.h"
#include "patterns/callee_text.h"
#include "patterns/grad_line.h"
#include "patterns/optimizer_owners.h"

namespace torchleak::patterns {

using flow::Body;
using flow::FunctionResult;
using flow::GradOpKind;
using flow::Op;
using flow::ValueId;
using sema::Index;

namespace {

struct State {
  enum Kind : std::uint8_t { kNotReached, kUnknown, kFilled, kWiped } kind = kNotReached;
  std::uint32_t backward = 0, clear = 0;  // values
  bool operator==(const State&) const = default;
};

State Meet(const State& a, const State& b) {
  if (a.kind == State::kNotReached) return b;
  if (b.kind == State::kNotReached || a == b) return a;
  State out;
  out.kind = a.kind == b.kind && a.kind == State::kFilled ? State::kFilled : State::kUnknown;
  out.backward = std::max(a.backward, b.backward);
  return out;
}

class Sweeper {
 public:
  Sweeper(const Sight& sight, const OptimizerOwners& owners, const FunctionResult& r)
      : sight_(sight), owners_(owners), r_(r) {
    for (GradAct& act : GradLine(sight, r)) acts_.emplace(Index(act.value), std::move(act));
    for (const auto& [value, act] : acts_) AtHead(act);
  }

  void Run(std::vector<WipedGradientEvent>* out) {
    std::set<std::uint32_t> keys;
    bool clears = false, backward = false;
    for (const auto& [value, act] : acts_) {
      if (act.kind == GradOpKind::kStep && act.key != flow::kNoKey) keys.insert(act.key);
      clears |= act.Clears();
      backward |= act.kind == GradOpKind::kBackward;
    }
    if (!clears || !backward || keys.size() > 16 || acts_.size() > 256) return;
    for (const std::uint32_t key : keys) Follow(key, out);
  }

 private:
  // A loop over all parameters acts at its head, as if it always ran.
  void AtHead(const GradAct& act) {
    const flow::LoopId loop = r_.body.LoopOf(act.value);
    if (act.kind != GradOpKind::kClearAll || loop == flow::kNoLoop || !SetsNone(act)) return;
    for (std::uint32_t b = 0; b < r_.body.blocks.size(); ++b) {
      const flow::Block& block = r_.body.blocks[b];
      if (block.is_loop_head && block.loop == loop) at_head_.emplace(b, Index(act.value));
    }
  }

  bool SetsNone(const GradAct& act) const {
    const flow::Instr& in = r_.body[act.value];
    if (in.op != Op::kStore && in.op != Op::kSetAttr) return false;
    return r_.body[r_.body.Operand(in, in.argc - 1u)].op == Op::kNone;
  }

  void Follow(std::uint32_t key, std::vector<WipedGradientEvent>* out) {
    const Body& body = r_.body;
    std::vector<State> before(body.blocks.size());
    before[0].kind = State::kUnknown;
    constexpr int kSweeps = 6;  // states only get less certain: enough for loops four deep
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (const flow::BlockId b : body.order) {
        const State after =
            Through(Index(b), key, before[Index(b)], sweep == kSweeps - 1 ? out : nullptr);
        for (const flow::BlockId s : body.blocks[Index(b)].successors) {
          const bool back = at_head_.contains(Index(s)) &&
                            body.Within(body.blocks[Index(b)].loop, body.blocks[Index(s)].loop);
          if (!back) before[Index(s)] = Meet(before[Index(s)], after);
        }
      }
    }
  }

  State Through(std::uint32_t b, std::uint32_t key, State state,
                std::vector<WipedGradientEvent>* out) {
    const flow::Block& block = r_.body.blocks[b];
    const auto head = at_head_.find(b);
    if (head != at_head_.end()) Step(acts_.at(head->second), key, &state, out);
    for (std::uint32_t i = block.first; i < block.last; ++i) {
      const flow::Instr& in = r_.body.instrs[i];
      const auto act = acts_.find(i);
      if (act != acts_.end()) {
        Step(act->second, key, &state, out);
      } else if (Puts(in, i) && state.kind == State::kWiped) {
        state.kind = State::kUnknown;
      }
    }
    return state;
  }

  // May put gradients back: p.grad = g, or a call of code that is not known.
  bool Puts(const flow::Instr& in, std::uint32_t i) const {
    if (in.op == Op::kYield) return true;
    if (in.op == Op::kStore || in.op == Op::kSetAttr) {
      const sema::NameId name =
          in.op == Op::kStore ? r_.body.slots[in.aux].attribute : sema::NameId{in.aux};
      return sight_.module().Text(name) == "grad" &&
             r_.body[r_.body.Operand(in, in.argc - 1u)].op != Op::kNone;
    }
    if (in.op != Op::kCall) return false;
    const flow::Call& call = r_.body.calls[in.aux];
    if (call.fact != nullptr) return false;
    static constexpr std::string_view kTelling[] = {"append", "update", "format", "info", "log"};
    const std::string_view method = sight_.module().Text(call.method);
    if (facts::EvidenceOfMethod(method) != 0 ||
        std::ranges::find(kTelling, method) != std::end(kTelling))
      return false;
    if (call.receiver != flow::kNoValue) {
      const flow::Value& receiver = r_.values[Index(call.receiver)];
      if (receiver.Is(flow::Kind::kScheduler) || receiver.Is(flow::Kind::kTensor)) return false;
    }
    return !r_.values[i].Is(flow::Kind::kNumber);
  }

  void Step(const GradAct& act, std::uint32_t key, State* state,
            std::vector<WipedGradientEvent>* out) {
    const std::uint32_t value = Index(act.value);
    if (act.kind == GradOpKind::kBackward) {
      *state = {State::kFilled, value, 0};
    } else if (act.kind == GradOpKind::kCallee && OnlyClears(act, key)) {
      Wipe(value, state);
    } else if (OnlyScales(act)) {
      return;
    } else if (act.kind == GradOpKind::kCallee || act.MayClear()) {
      *state = {State::kUnknown, 0, 0};
    } else if (act.kind == GradOpKind::kStep && act.key == key) {
      if (state->kind == State::kWiped && out != nullptr && !Closure(act)) Report(act, *state, out);
      *state = {State::kUnknown, 0, 0};
    } else if (act.Clears() && !act.of_module && !act.of.empty()) {
      if (act.key != key && !SameText(key, act.of)) return;
      Wipe(value, state);
    } else if (act.kind == GradOpKind::kClearAll) {
      const bool own = act.of_module ? OwnModule(key, act.of) : AllToNone(key, act);
      if (own) {
        Wipe(value, state);
      } else {
        state->kind = State::kUnknown;
      }
    }
  }

  // scaler.unscale_(opt), accelerator.clip_grad_norm_(…): the gradients are there afterwards.
  bool OnlyScales(const GradAct& act) const {
    const flow::Instr& in = r_.body[act.value];
    if (in.op != Op::kCall || act.kind == GradOpKind::kCallee) return false;
    const std::string_view method = sight_.module().Text(r_.body.calls[in.aux].method);
    return method == "unscale_" || method.starts_with("clip_grad");
  }

  // A helper that clears this optimizer on every way through, and does no more to gradients.
  bool OnlyClears(const GradAct& act, std::uint32_t key) const {
    const flow::Instr& in = r_.body[act.value];
    if (in.op != Op::kCall || act.callee->runs_backward || act.callee->steps) return false;
    const auto edge = std::ranges::find(r_.calls, act.value, &flow::CallEdge::value);
    if (edge == r_.calls.end()) return false;
    return std::ranges::any_of(act.callee->grad_effects, [&](const flow::GradEffect& e) {
      return e.table[flow::kEntryDirty] == 1u << flow::kFresh &&
             SameText(key, CalleeText(sight_, r_, r_.body.calls[in.aux], edge->callee, e.sink));
    });
  }

  static void Wipe(std::uint32_t by, State* state) {
    if (state->kind == State::kWiped) return;
    state->kind = state->kind == State::kFilled ? State::kWiped : State::kUnknown;
    state->clear = by;
  }

  bool SameText(std::uint32_t key, const std::string& of) const {
    return std::ranges::any_of(acts_, [&](const auto& entry) {
      const GradAct& act = entry.second;
      return act.kind == GradOpKind::kStep && act.key == key && act.of == of;
    });
  }

  bool OwnModule(std::uint32_t key, const std::string& module) const {
    return std::ranges::any_of(acts_,
                               [&](const auto& entry) {
                                 const GradAct& act = entry.second;
                                 return act.kind == GradOpKind::kStep && act.key == key &&
                                        owners_.Steps(r_, act.of, module);
                               }) ||
           (OnlyKey(key) && Runs(module) && std::ranges::any_of(acts_, [&](const auto& entry) {
              const GradAct& act = entry.second;
              return act.kind == GradOpKind::kStep && act.key == key &&
                     owners_.MayStep(r_, act.of, module);
            }));
  }

  // A single optimizer steps here, and the loss is made by that module alone.
  bool OnlyKey(std::uint32_t key) const {
    return std::ranges::none_of(acts_, [&](const auto& entry) {
      const GradAct& act = entry.second;
      return act.kind == GradOpKind::kStep && act.key != key;
    });
  }
  bool Runs(const std::string& module) const {
    return !r_.forwards.empty() && std::ranges::all_of(r_.forwards, [&](const flow::Forward& f) {
      return f.module_slot != flow::kNoSlot &&
             flow::SlotText(sight_.module(), r_.body, f.module_slot) == module;
    });
  }

  // for p in model.parameters(): p.grad = None
  bool AllToNone(std::uint32_t key, const GradAct& act) const {
    if (!SetsNone(act)) return false;
    const flow::LoopId loop = r_.body.LoopOf(act.value);
    if (loop == flow::kNoLoop) return false;
    const std::uint32_t guard = r_.body.BlockOf(act.value).guard;
    if (guard != flow::kNoKey && r_.body.Within(r_.body.guards[guard].loop, loop)) return false;
    const flow::Loop& over = r_.body.loops[Index(loop)];
    if (over.iterable == syntax::kNoNode) return false;
    std::string_view text = sight_.Text(over.iterable);
    constexpr std::string_view kParameters = ".parameters()";
    if (!text.ends_with(kParameters)) return false;
    text.remove_suffix(kParameters.size());
    return std::ranges::any_of(acts_, [&](const auto& entry) {
      const GradAct& step = entry.second;
      return step.kind == GradOpKind::kStep && step.key == key &&
             owners_.MayStep(r_, step.of, text);
    });
  }

  // opt.step(closure) makes its own gradients.
  bool Closure(const GradAct& act) const {
    const flow::Instr& in = r_.body[act.value];
    if (in.op != Op::kCall) return true;
    const flow::Call& call = r_.body.calls[in.aux];
    return sight_.module().Text(call.method) == "step" && call.argc > 0 &&
           act.of == flow::SlotText(sight_.module(), r_.body, call.receiver_slot);
  }

  void Report(const GradAct& step, const State& state, std::vector<WipedGradientEvent>* out) {
    if (!reported_.insert(state.clear).second) return;
    const ValueId clear{state.clear};
    WipedGradientEvent e;
    e.function = r_.body.function;
    e.span = sight_.Span(r_.body[clear].node);
    e.strength = flow::Strength::kStrong;
    e.in_test = sight_.InTest(r_.body.function);
    e.record = state.clear;
    e.optimizer = step.of;
    e.flow.push_back(
        {sight_.Span(r_.body[ValueId{state.backward}].node), "gradients are made here"});
    e.flow.push_back({e.span, "and cleared before anything used them"});
    e.flow.push_back({sight_.Span(r_.body[step.value].node), "steps on nothing"});
    out->push_back(std::move(e));
  }

  const Sight& sight_;
  const OptimizerOwners& owners_;
  const FunctionResult& r_;
  std::map<std::uint32_t, GradAct> acts_;           // by value
  std::map<std::uint32_t, std::uint32_t> at_head_;  // by block: the act of its loop
  std::set<std::uint32_t> reported_;
};

}  // namespace

std::vector<WipedGradientEvent> WipedGradients(const Sight& sight) {
  std::vector<WipedGradientEvent> events;
  if (!sight.Mentions("zero_grad") && !sight.Mentions("grad = None")) return events;
  const OptimizerOwners owners(sight);
  for (const FunctionResult& r : sight.world().results()) {
    if (r.analyzed && r.grad_ops.size() > 2) Sweeper(sight, owners, r).Run(&events);
  }
  std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
  return events;
}

}  // namespace torchleak::patterns
