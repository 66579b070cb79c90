// First the loops, callees before callers: a loop that calls a function with a loop over steps goes
// over epochs. Then how often functions run, callers first.
#include "patterns/loop_table.h"

#include <algorithm>
#include <array>

#include "flow/events_internal.h"
#include "flow/names.h"

namespace torchleak::patterns {

using flow::Body;
using flow::FunctionResult;
using flow::kNoLoop;
using flow::LoopId;
using flow::Op;
using flow::ValueId;
using sema::FunctionId;
using sema::Index;
using syntax::Kind;
using syntax::kNoNode;
using syntax::NodeId;

namespace {

// What is gone through more slowly than batches, whatever the loop holds.
bool NamesNoSteps(std::string_view text) {
  for (const std::string_view word :
       {"epoch", "fold", "trial", "seed", "datasets", "loaders", "task", "checkpoint", "stage"}) {
    if (text.find(word) != text.npos) return true;
  }
  return false;
}

bool NamesBatch(std::string_view text) {
  return text.find("batch") != text.npos && text.find("epoch") == text.npos;
}

constexpr std::uint8_t kEpochs = 2;  // a loop that holds loops over epochs

// Does a call of that name go through the data by itself?
bool NamesPhase(std::string_view name) {
  for (const std::string_view word : {"epoch", "evaluate", "validate", "fit"}) {
    if (name.find(word) != name.npos) return true;
  }
  return name == "train" || name == "test";
}

// Methods that a trainer calls around each step, in classes that derive from something.
bool IsStepHook(std::string_view name) {
  constexpr std::array<std::string_view, 14> kHooks{
      "on_train_batch_start", "on_train_batch_end",  "on_validation_batch_end",
      "on_test_batch_end",    "on_before_zero_grad", "on_before_optimizer_step",
      "on_after_backward",    "on_step_begin",       "on_step_end",
      "on_substep_end",       "before_train_iter",   "after_train_iter",
      "training_step",        "validation_step"};
  return std::ranges::find(kHooks, name) != kHooks.end();
}

}  // namespace

LoopTable::LoopTable(const flow::World& world)
    : world_(world),
      kinds_(world.results().size()),
      holds_steps_(world.results().size()),
      runs_(world.results().size()),
      conditions_(world.results().size()) {
  for (const FunctionId id : world.order()) Classify(world.result(id));
  Spread();
}

LoopId LoopTable::LoopAround(const Body& body, ValueId at) {
  LoopId loop = body.LoopOf(at);
  while (loop != kNoLoop && body.loops[Index(loop)].is_comprehension)
    loop = body.loops[Index(loop)].parent;
  return loop;
}

// The module that runs is the one that the loop goes to next: layers, or the members of an
// ensemble.
bool LoopTable::OverElements(const FunctionResult& r, const flow::Forward& forward) const {
  if (forward.module_slot == flow::kNoSlot) return true;
  const LoopId loop = LoopAround(r.body, forward.value);
  if (loop == kNoLoop) return false;
  const syntax::Tree& tree = world_.module().tree();
  const NodeId target = tree.Child(r.body.loops[Index(loop)].node, syntax::Field::kLeft);
  if (target == kNoNode) return false;
  const sema::BindingId root = r.body.slots[Index(forward.module_slot)].root;
  const auto end = Index(tree.End(target));
  for (std::uint32_t n = Index(target); n < end; ++n)
    if (world_.module().BindingOf(NodeId{n}) == root) return true;
  return false;
}

// Calls of the loops: functions of this file that run a step or go over steps, and helpers of other
// files that are given the loader.
void LoopTable::NoteCallees(const FunctionResult& r, std::vector<std::uint8_t>* runs,
                            std::vector<std::uint8_t>* holds) const {
  const sema::Module& module = world_.module();
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
    const flow::Instr& in = r.body.instrs[i];
    if (in.op != Op::kCall) continue;
    const LoopId loop = LoopAround(r.body, ValueId{i});
    if (loop == kNoLoop) continue;
    const flow::Call& call = r.body.calls[in.aux];
    const FunctionId callee = world_.Resolve(r.body, call).function;
    if (callee != sema::kNoFunction && !module.IsForeign(callee)) {
      const flow::Summary& s = world_.result(callee).summary;
      if (s.runs_backward || s.steps) (*runs)[Index(loop)] = 1;
      if (holds_steps_[Index(callee)]) (*holds)[Index(loop)] = 1;
      continue;
    }
    if (call.fact != nullptr || call.of_torch || call.of_numpy) continue;
    const NodeId name = module.tree().Child(call.node, syntax::Field::kFunction);
    const std::string_view text = name == kNoNode ? "" : module.tree().Text(name);
    if (NamesPhase(text.substr(text.rfind('.') + 1))) (*holds)[Index(loop)] = 1;
    for (const flow::Argument& a : r.body.Arguments(call)) {
      const NodeId node = r.body[a.value].op == Op::kLoad ? r.body[a.value].node : kNoNode;
      if (node != kNoNode && flow::LooksLikeLoader(module.tree().Text(node)))
        (*holds)[Index(loop)] = 1;
    }
  }
}

void LoopTable::Classify(const FunctionResult& r) {
  const std::size_t n = r.body.loops.size();
  std::vector<std::uint8_t>& kind = kinds_[Index(r.body.function)];
  kind.assign(n, 0);
  if (n == 0 || !r.analyzed) {
    for (const flow::CallEdge& edge : r.calls)
      if (!world_.module().IsForeign(edge.callee) && holds_steps_[Index(edge.callee)])
        holds_steps_[Index(r.body.function)] = true;
    return;
  }
  std::vector<std::uint8_t> runs(n, 0), holds(n, 0);
  auto mark = [&](ValueId value) {
    const LoopId loop = LoopAround(r.body, value);
    if (loop != kNoLoop) runs[Index(loop)] = 1;
  };
  for (const flow::Backward& b : r.backwards) mark(b.value);
  for (const flow::GradOp& op : r.grad_ops)
    if (op.kind == flow::GradOpKind::kStep) mark(op.value);
  if (world_.role(r.body.function) != flow::Role::kForward) {
    for (const flow::Forward& f : r.forwards)
      if (!OverElements(r, f)) mark(f.value);
  }
  NoteCallees(r, &runs, &holds);
  const flow::EventBuilder ask(world_, nullptr);
  const syntax::Tree& tree = world_.module().tree();
  for (std::size_t i = n; i-- > 0;) {
    const flow::Loop& loop = r.body.loops[i];
    if (loop.is_comprehension) continue;
    const NodeId target = tree.Child(loop.node, syntax::Field::kLeft);
    const NodeId condition = tree.Child(loop.node, syntax::Field::kCondition);
    const bool slow = (target != kNoNode && NamesNoSteps(tree.Text(target))) ||
                      (loop.iterable != kNoNode && NamesNoSteps(tree.Text(loop.iterable))) ||
                      (condition != kNoNode && NamesNoSteps(tree.Text(condition)));
    const bool data =
        !loop.is_short && !slow && ask.OverData(r, LoopId{static_cast<std::uint32_t>(i)}, true);
    // Micro-batches within a batch: the batch is the step.
    const bool batches =
        !slow && ((target != kNoNode && NamesBatch(tree.Text(target))) ||
                  (loop.iterable != kNoNode && NamesBatch(tree.Text(loop.iterable))));
    if (holds[i] != 0 && (!batches || holds[i] == kEpochs)) {
      kind[i] = 2;
    } else if (runs[i] != 0 || data || holds[i] != 0 || (batches && !loop.is_short)) {
      kind[i] = 1;
    }
    if (kind[i] == 0) continue;
    if (!loop.is_short) {
      // What goes over epochs in each turn is a round of them, whatever it is named.
      const std::uint8_t held = kind[i] == 2 ? kEpochs : 1;
      for (LoopId p = loop.parent; p != kNoLoop; p = r.body.loops[Index(p)].parent) {
        if (holds[Index(p)] >= held) break;
        holds[Index(p)] = held;
      }
    }
  }
  // Loops are numbered as they begin, but that is not promised: whoever holds steps goes over
  // epochs.
  for (std::size_t i = 0; i < n; ++i) {
    if (kind[i] != 0) holds_steps_[Index(r.body.function)] = true;
  }
  for (const flow::CallEdge& edge : r.calls)
    if (!world_.module().IsForeign(edge.callee) && holds_steps_[Index(edge.callee)])
      holds_steps_[Index(r.body.function)] = true;
}

Often LoopTable::HowOften(const FunctionResult& r, ValueId at) const {
  const LoopId loop = LoopAround(r.body, at);
  if (InHandler(r.body[at].node) || OnChangingCondition(r, at, loop)) return Often::kNowAndThen;
  if (loop == kNoLoop) return Often::kOnce;
  if (IsEpoch(r, loop)) return Often::kEachEpoch;
  return IsStep(r, loop) ? Often::kEachStep : Often::kEachTurn;
}

bool LoopTable::InHandler(NodeId node) const {
  const syntax::Tree& tree = world_.module().tree();
  for (NodeId n = tree.Parent(node); n != kNoNode; n = tree.Parent(n)) {
    const Kind kind = tree.kind(n);
    if (kind == Kind::kExceptClause) return true;
    if (kind == Kind::kFunctionDefinition || kind == Kind::kLambda) break;
  }
  return false;
}

// Callers come first in the reversed order; of a cycle, some callers are heard too late and count
// for nothing.
void LoopTable::Spread() {
  const auto& order = world_.order();
  const sema::Module& module = world_.module();
  for (const FunctionId id : order) {
    const FunctionResult& r = world_.result(id);
    const bool by_framework = world_.role(id) == flow::Role::kTrainingStep ||
                              (world_.Around(id) & facts::kResultDifferentiated) != 0;
    if (by_framework) runs_[Index(id)].often = Often::kEachStep;
    const std::string_view name = module.Text(module[id].name);
    const sema::ClassId cls = module[id].class_id;
    const std::string_view owner = cls == sema::kNoClass ? "" : module.Text(module[cls].name);
    const bool derives = cls != sema::kNoClass && !module[cls].bases.empty();
    if (derives && IsStepHook(name)) runs_[Index(id)].often = Often::kEachStep;
    const bool average = owner.find("EMA") != owner.npos || owner.ends_with("MovingAverage");
    if (average && (name == "step" || name == "update")) runs_[Index(id)].often = Often::kEachStep;
    if (r.called_in_loop && (name == "step" || name.ends_with("_step") || name == "update"))
      runs_[Index(id)].often = Often::kEachStep;
  }
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const FunctionResult& r = world_.result(*it);
    if (!r.analyzed) continue;
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      if (r.body.instrs[i].op != Op::kCall) continue;
      const FunctionId callee = world_.Resolve(r.body, r.body.calls[r.body.instrs[i].aux]).function;
      if (callee == sema::kNoFunction || module.IsForeign(callee) || callee == *it) continue;
      Often often = HowOften(r, ValueId{i});
      if (often == Often::kOnce) often = Of(*it).often;
      Runs& known = runs_[Index(callee)];
      if (known.caller == sema::kNoFunction ? often >= known.often : often > known.often)
        known = {std::max(often, known.often), *it, ValueId{i}};
    }
  }
}

}  // namespace torchleak::patterns
