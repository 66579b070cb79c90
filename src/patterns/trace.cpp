#include "patterns/trace.h"

#include <algorithm>

#include "flow/world.h"
#include "syntax/views.h"

namespace torchleak::patterns {

using flow::Body;
using flow::FunctionResult;
using flow::Instr;
using flow::kNoValue;
using flow::LoopId;
using flow::Op;
using flow::SlotId;
using flow::ValueId;
using sema::Index;
using syntax::kNoNode;
using syntax::NodeId;

namespace {

// How far names are followed: chains of more are nobody's code.
constexpr int kMaxHops = 12;
constexpr std::size_t kMaxWork = 128;

// Codes of kStore that assign nothing: a parameter at entry, a test of a type.
bool Assigns(const Instr& store) { return store.aux8 != 4 && store.aux8 != 5; }

// Whenever `at` runs, `store` has run in the same turn: it stands before, under no further
// condition.
bool Precedes(const FunctionResult& r, ValueId store, ValueId at) {
  if (Index(store) > Index(at)) return false;
  const std::uint32_t condition = r.body.BlockOf(store).guard;
  std::uint32_t guard = r.body.BlockOf(at).guard;
  while (guard != flow::kNoKey && guard != condition) guard = r.body.guards[guard].parent;
  return guard == condition;
}

}  // namespace

const Trace::Stores& Trace::StoresOf(const FunctionResult& r) const {
  const auto [known, is_new] = stores_.try_emplace(&r);
  if (!is_new) return known->second;
  known->second.resize(r.body.slots.size());
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
    const Instr& in = r.body.instrs[i];
    if (in.op == Op::kStore && Assigns(in)) known->second[in.aux].push_back(ValueId{i});
  }
  return known->second;
}

std::span<const ValueId> Trace::StoresTo(const FunctionResult& r, SlotId slot) const {
  if (slot == flow::kNoSlot) return {};
  return StoresOf(r)[Index(slot)];
}

ValueId Trace::Made(const FunctionResult& r, ValueId value) const {
  for (int hops = 0; hops < kMaxHops && value != kNoValue; ++hops) {
    const Instr& in = r.body[value];
    if (in.op == Op::kEnterWith && in.argc == 1) {
      value = r.body.Operand(in, 0);
    } else if (in.op == Op::kLoad) {
      const auto stores = StoresTo(r, SlotId{in.aux});
      const flow::Slot& slot = r.body.slots[in.aux];
      const bool is_param = slot.depth == 0 && sight_.module()[slot.root].is_param;
      if (stores.size() != 1 || !slot.is_local || is_param) return value;
      value = r.body.Operand(r.body[stores[0]], 0);
    } else {
      return value;
    }
  }
  return value;
}

const flow::Call* Trace::CallBehind(const FunctionResult& r, ValueId value) const {
  const ValueId made = Made(r, value);
  if (made == kNoValue || r.body[made].op != Op::kCall) return nullptr;
  return &r.body.calls[r.body[made].aux];
}

std::string_view Trace::Literal(const FunctionResult& r, ValueId value) const {
  const ValueId made = Made(r, value);
  if (made == kNoValue) return {};
  const Instr& in = r.body[made];
  if (in.op == Op::kNumber || in.op == Op::kString) return sight_.Text(in.node);
  if (in.op != Op::kLoad || r.body.slots[in.aux].depth != 0) return {};
  const sema::Binding& binding = sight_.module()[r.body.slots[in.aux].root];
  NodeId node = binding.assignments == 1 ? binding.sole_value : kNoNode;
  if (binding.is_param && binding.assignments == 0) {
    const sema::Function& f = sight_.module()[sight_.module()[binding.scope].function];
    for (const sema::Param& param : f.params) {
      if (param.name == binding.name) node = param.default_value;
    }
  }
  if (node == kNoNode) return {};
  const syntax::Kind kind = sight_.module().tree().kind(node);
  const bool constant = kind == syntax::Kind::kString || kind == syntax::Kind::kInteger;
  return constant ? sight_.Text(node) : std::string_view{};
}

bool Trace::Reaches(const FunctionResult& r, ValueId from, ValueId target) const {
  std::vector<ValueId> work{from}, seen;
  while (!work.empty() && seen.size() < kMaxWork) {
    const ValueId value = work.back();
    work.pop_back();
    if (value == kNoValue || std::ranges::find(seen, value) != seen.end()) continue;
    if (value == target) return true;
    seen.push_back(value);
    const Instr& in = r.body[value];
    if (in.op == Op::kLoad) {
      for (const ValueId store : StoresTo(r, SlotId{in.aux}))
        work.push_back(r.body.Operand(r.body[store], 0));
    } else if (in.op == Op::kCall) {
      for (const flow::Argument& argument : r.body.Arguments(r.body.calls[in.aux]))
        work.push_back(argument.value);
    } else if (in.op == Op::kSelect || in.op == Op::kTuple || in.op == Op::kUnpack ||
               in.op == Op::kEnterWith) {
      for (const ValueId operand : r.body.Operands(in)) work.push_back(operand);
    }
  }
  return false;
}

bool Trace::Untouched(const FunctionResult& r, sema::BindingId binding, LoopId loop) const {
  const Stores& stores = StoresOf(r);
  for (std::size_t slot = 0; slot < stores.size(); ++slot) {
    if (r.body.slots[slot].root != binding || r.body.slots[slot].depth > 1) continue;
    for (const ValueId store : stores[slot]) {
      if (r.body.Within(r.body.LoopOf(store), loop)) return false;
    }
  }
  return true;
}

bool Trace::SameLoad(const FunctionResult& r, ValueId at, LoopId loop, Roots* roots,
                     std::vector<ValueId>* work) const {
  const Instr& in = r.body[at];
  // The whole path counts: `args.data` is another one when `args` is.
  for (SlotId slot{in.aux}; slot != flow::kNoSlot; slot = r.body.slots[Index(slot)].parent) {
    std::vector<ValueId> within;
    for (const ValueId store : StoresTo(r, slot)) {
      if (r.body.Within(r.body.LoopOf(store), loop)) within.push_back(store);
    }
    if (loop != flow::kNoLoop && within.size() > 1) return false;
    for (const ValueId store : within) {
      if (r.body[store].aux8 != 0) return false;  // it grows, or is made of itself
      if (loop != flow::kNoLoop && !Precedes(r, store, at)) return false;  // `if late: data = hard`
      work->push_back(r.body.Operand(r.body[store], 0));
    }
    if (!within.empty()) return true;
  }
  const flow::Slot& slot = r.body.slots[in.aux];
  if (slot.depth > 0 && AssignedLater(slot.attribute)) return false;
  if (roots == nullptr) return true;
  roots->bindings.push_back(slot.root);
  if (slot.depth > 0) roots->attributes.push_back(slot.attribute);
  return true;
}

bool Trace::AssignedLater(sema::NameId attribute) const {
  if (assigned_later_.empty()) {
    assigned_later_.resize(sight_.module().name_count() + 1);
    for (const FunctionResult& r : sight_.world().results()) {
      const sema::Function& f = sight_.module()[r.body.function];
      const std::string_view name = sight_.module().Text(f.name);
      if (name == "__init__" || name == "__post_init__") continue;
      for (const Instr& in : r.body.instrs) {
        if (in.op == Op::kStore && r.body.slots[in.aux].depth > 0)
          assigned_later_[Index(r.body.slots[in.aux].attribute)] = true;
      }
    }
  }
  return assigned_later_[Index(attribute)];
}

bool Trace::SameCall(const FunctionResult& r, const Instr& in, std::vector<ValueId>* work) const {
  const flow::Call& call = r.body.calls[in.aux];
  if (call.fact == nullptr) return false;
  const std::string_view name = call.fact->name;
  const bool plain = call.fact->result == facts::Result::kNumber ||
                     name.starts_with("torch.utils.data.") || name == "functools.partial" ||
                     name == "torch.Generator";
  if (!plain || name == "torch.utils.data.random_split" || name.starts_with("random."))
    return false;
  for (const flow::Argument& argument : r.body.Arguments(call)) work->push_back(argument.value);
  if (call.receiver != kNoValue && !call.qualified) work->push_back(call.receiver);
  return true;
}

bool Trace::SameEachTurn(const FunctionResult& r, ValueId value, LoopId loop, Roots* roots) const {
  std::vector<ValueId> work{value}, seen;
  while (!work.empty()) {
    const ValueId at = work.back();
    work.pop_back();
    if (at == kNoValue || std::ranges::find(seen, at) != seen.end()) continue;
    if (seen.size() >= kMaxWork) return false;
    seen.push_back(at);
    if (loop != flow::kNoLoop && !r.body.Within(r.body.LoopOf(at), loop)) continue;  // before it
    const Instr& in = r.body[at];
    switch (in.op) {
      case Op::kNumber:
      case Op::kString:
      case Op::kNone:
      case Op::kTrue:
      case Op::kFalse:
      case Op::kFunction:
      case Op::kClass:
        break;
      case Op::kLoad:
        if (!SameLoad(r, at, loop, roots, &work)) return false;
        break;
      case Op::kCall:
        if (!SameCall(r, in, &work)) return false;
        break;
      case Op::kSelect:
        if (loop != flow::kNoLoop) return false;  // which one, may change
        if (roots != nullptr) roots->by_choice = true;
        [[fallthrough]];
      case Op::kGetAttr:
      case Op::kGetItem:
      case Op::kUnary:
      case Op::kBinary:
      case Op::kCompare:
      case Op::kFormat:
      case Op::kTuple:
      case Op::kList:
      case Op::kDict:
      case Op::kUnpack:
        for (const ValueId operand : r.body.Operands(in)) work.push_back(operand);
        break;
      case Op::kUnknown:  // of another module: `config.BATCH_SIZE`
        if (in.node == kNoNode || sight_.module().QualifiedName(in.node).empty()) return false;
        break;
      default:
        return false;
    }
  }
  return true;
}

}  // namespace torchleak::patterns
