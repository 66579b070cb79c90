// The solver and the instructions that neither call nor store.
#include "flow/analysis.h"

#include <algorithm>
#include <bit>

#include "flow/names.h"

namespace torchleak::flow {

using sema::NameId;

namespace {

constexpr int kMaxSweeps = 8;

GradMode Join(GradMode a, GradMode b) { return a == b ? a : GradMode::kUnknown; }

}  // namespace

FunctionAnalysis::FunctionAnalysis(World& world, sema::FunctionId function)
    : world_(world), r_(world.result(function)), body_(r_.body), role_(world.role(function)) {}

void FunctionAnalysis::Run() {
  r_.values.assign(body_.instrs.size(), Value{});
  if (body_.TooLarge()) {
    r_.over_budget = true;
    r_.summary.ready = true;
    r_.summary.ret.value = Value::Unknown();
    return;
  }
  FindBoundMethods();
  is_callee_.assign(body_.instrs.size(), false);
  for (const Call& call : body_.calls) {
    if (call.callee != kNoValue && call.receiver != kNoValue) is_callee_[Index(call.callee)] = true;
  }
  saved_mode_.assign(body_.instrs.size(), GradMode::kInherit);
  r_.modes.assign(body_.instrs.size(), GradMode::kInherit);
  Solve();
  recording_ = true;
  State state;
  for (BlockId b : body_.order) {
    if (!in_[Index(b)].reached) continue;
    state = in_[Index(b)];
    Block(b, state);
  }
  r_.analyzed = true;
  BuildSummary();
}

void FunctionAnalysis::Solve() {
  in_.assign(body_.blocks.size(), State{});
  State& entry = in_[0];
  entry.slots.assign(body_.slots.size(), Value{});
  entry.reached = true;
  GradMode decorated = world_.DecoratedMode(body_.function);
  entry.mode = decorated;
  // Whatever runs before a captured grad mode is known: hooks of Lightning and decorators only.
  dirty_.assign(body_.blocks.size(), false);
  bool heap_before = false;
  for (int i = 0; i < kMaxSweeps; ++i) {
    heap_changed_ = false;
    const bool all = i == 0 || heap_before;
    bool changed = Sweep(all);
    heap_before = heap_changed_;
    // Without loops one sweep in reverse postorder has seen every path.
    if ((!changed || body_.loops.empty()) && !heap_changed_) break;
  }
}

// Runs the blocks whose entry state has changed; all of them when containers have.
bool FunctionAnalysis::Sweep(bool all) {
  bool changed = false;
  State state;
  for (BlockId b : body_.order) {
    if (!in_[Index(b)].reached || (!all && !dirty_[Index(b)])) continue;
    dirty_[Index(b)] = false;
    state = in_[Index(b)];
    Block(b, state);
    for (BlockId s : body_.blocks[Index(b)].successors) {
      if (!JoinInto(in_[Index(s)], state)) continue;
      dirty_[Index(s)] = true;
      changed = true;
    }
  }
  return changed;
}

bool FunctionAnalysis::JoinInto(State& to, const State& from) {
  if (!to.reached) {
    to = from;
    return true;
  }
  bool changed = false;
  for (std::size_t i = 0; i < to.slots.size(); ++i) {
    if (from.slots[i] == to.slots[i]) continue;
    Value& t = to.slots[i];
    const Value& f = from.slots[i];
    // A slot that one side has not assigned still holds what it had at entry there; for attributes
    // and captured variables that is a value too, for plain locals it is not.
    if (t.Reached() && f.Reached()) {
      Value joined = flow::Join(t, f);
      if (!(joined == t)) {
        t = joined;
        changed = true;
      }
    } else if (!t.Reached()) {
      t = f;
      changed = true;
    }
  }
  GradMode mode = Join(to.mode, from.mode);
  if (mode != to.mode) {
    to.mode = mode;
    changed = true;
  }
  return changed;
}

void FunctionAnalysis::Block(BlockId id, State& state) {
  state_ = &state;
  const auto& block = body_.blocks[Index(id)];
  for (std::uint32_t i = block.first; i < block.last; ++i) {
    if (recording_) r_.modes[i] = state.mode;
    r_.values[i] = Transfer(ValueId{i}, body_.instrs[i]);
  }
}

std::string_view FunctionAnalysis::SlotName(SlotId id) const {
  if (id == kNoSlot) return {};
  const Slot& s = body_.slots[Index(id)];
  return NameText(s.attribute == sema::kNoName ? world_.module()[s.root].name : s.attribute);
}

unsigned FunctionAnalysis::OriginFor(ValueId id, OriginKind kind, std::uint32_t ref) {
  std::uint64_t key = std::uint64_t{Index(id)} << 8 | static_cast<std::uint64_t>(kind);
  if (kind == OriginKind::kEntry)
    key = (std::uint64_t{ref} << 8 | static_cast<std::uint64_t>(kind)) | 1ull << 63;
  auto [it, fresh] = origin_ids_.try_emplace(key, 0u);
  if (!fresh) return it->second;
  if (r_.origins.size() >= kMaxOrigins) {
    it->second = kOverflowOrigin;
    return kOverflowOrigin;
  }
  Origin o;
  o.kind = kind;
  o.value = id;
  o.node = id == kNoValue ? syntax::kNoNode : body_[id].node;
  o.ref = ref;
  r_.origins.push_back(o);
  it->second = static_cast<unsigned>(r_.origins.size() - 1);
  if (it->second == kOverflowOrigin)
    r_.origins.back().kind = OriginKind::kStore;  // shared by the rest: no graph
  return it->second;
}

unsigned FunctionAnalysis::ObjectFor(ValueId id, ObjectKind kind) {
  auto [it, fresh] = object_ids_.try_emplace(std::uint64_t{Index(id)} << 1, 0u);
  if (!fresh) return it->second;
  if (r_.objects.size() >= kOverflowObject) return it->second = kOverflowObject;
  Object o;
  o.kind = kind;
  o.value = id;
  o.loop = body_.LoopOf(id);
  r_.objects.push_back(o);
  r_.contents.emplace_back();
  r_.fields.emplace_back();
  return it->second = static_cast<unsigned>(r_.objects.size() - 1);
}

unsigned FunctionAnalysis::EntryObject(SlotId slot) {
  auto [it, fresh] = object_ids_.try_emplace(std::uint64_t{Index(slot)} << 1 | 1, 0u);
  if (!fresh) return it->second;
  if (r_.objects.size() >= kOverflowObject) return it->second = kOverflowObject;
  Object o;
  o.kind = ObjectKind::kEntry;
  o.slot = slot;
  r_.objects.push_back(o);
  r_.contents.emplace_back();
  r_.fields.emplace_back();
  return it->second = static_cast<unsigned>(r_.objects.size() - 1);
}

void FunctionAnalysis::EnterWith(ValueId id, const Instr& in, Value* out) {
  saved_mode_[Index(id)] = state_->mode;
  if (in.argc == 0) return;
  const sema::Module& m = world_.module();
  *out = Of(body_.Operand(in, 0));
  if (out->Is(Kind::kHandle) && recording_)
    r_.removed |= out->origins;  // leaving the block removes the hook
  std::string_view text = m.tree().Text(in.node);
  const Instr& context = body_[body_.Operand(in, 0)];
  if (context.op == Op::kSelect) {
    if (TurnsGradOff(text)) SetMode(GradMode::kUnknown);
    return;
  }
  std::uint32_t effects = 0;
  if (context.op == Op::kCall) {
    const Call& call = body_.calls[context.aux];
    if (call.fact != nullptr) effects = call.fact->effects;
    // A context manager of the project: the grad mode at its yield holds in the block.
    World::Target target = world_.Resolve(body_, call);
    if (target.function != sema::kNoFunction && target.class_id == sema::kNoClass) {
      const Summary& manager = world_.result(target.function).summary;
      if (manager.yields) {
        if (manager.yield_mode != GradMode::kInherit) SetMode(manager.yield_mode);
        return;
      }
    }
    if (effects & facts::kGradSet) {
      Value flag = ArgumentValue(call, 0);
      SetMode(flag.Has(kIsFalse)  ? GradMode::kOff
              : flag.Has(kIsTrue) ? GradMode::kOn
                                  : GradMode::kUnknown);
      return;
    }
  }
  if (effects & facts::kGradOff) {
    SetMode(GradMode::kOff);
  } else if (effects & facts::kGradOn) {
    SetMode(GradMode::kOn);
  } else if (TurnsGradOff(text.substr(0, text.find('(')))) {
    SetMode(context.op == Op::kCall ? GradMode::kOff : GradMode::kInherit);
  } else if (text.find("grad") != text.npos && effects == 0 && text.find("clip") == text.npos &&
             text.size() < 120 && text.find("scale") == text.npos &&
             text.find("accum") == text.npos && text.find("checkpoint") == text.npos &&
             state_->mode != GradMode::kOff) {
    SetMode(GradMode::kUnknown);
  }
}

Value FunctionAnalysis::Transfer(ValueId id, const Instr& in) {
  Value out = Value::Unknown();
  switch (in.op) {
    case Op::kNumber:
    case Op::kString:
    case Op::kFormat:
      return Value::Number();
    case Op::kTrue:
      out = Value::Number();
      out.flags = kIsTrue;
      return out;
    case Op::kFalse:
      out = Value::Number();
      out.flags = kIsFalse;
      return out;
    case Op::kNone:
      return Value::Of(Kind::kNone);
    case Op::kParam:
      return ParamValue(id, in.aux);
    case Op::kLoad:
      return Load(id, SlotId{in.aux});
    case Op::kStore:
      Assign(id, in);
      return out;
    case Op::kDelete:
    case Op::kDelItem:
      Delete(id, in);
      return out;
    case Op::kGetAttr:
      return AttributeOf(id, Of(body_.Operand(in, 0)), NameId{in.aux});
    case Op::kSetAttr:
      SetAttribute(id, in);
      return out;
    case Op::kGetItem:
      out = ItemOf(Of(body_.Operand(in, 0)), in.aux, in.aux8 == 1);
      if (in.aux == 1 && SecondIsIndices(body_[body_.Operand(in, 0)])) out.origins.reset();
      if (in.aux8 != 1 && world_.IsNumberKey(in.aux) && !(EvidenceOf(id) & facts::kIsTensor))
        return Value::Number();
      return out;
    case Op::kSetItem:
      SetItem(id, in);
      return out;
    case Op::kCall:
      return CallOf(id, body_.calls[in.aux]);
    case Op::kBinary:
    case Op::kAugment:
      return Arithmetic(in);
    case Op::kUnary:
      out = Of(body_.Operand(in, 0));
      out.flags = static_cast<std::uint8_t>(out.flags & ~kBareParam);
      return out;
    case Op::kCompare: {
      bool tensor = false;
      for (ValueId v : body_.Operands(in)) tensor |= Of(v).Is(Kind::kTensor);
      if (!tensor) return Value::Number();
      out = Value::Of(Kind::kTensor);
      for (ValueId v : body_.Operands(in)) {
        if (Of(v).residency == Residency::kDevice) out.residency = Residency::kDevice;
      }
      return out;
    }
    case Op::kSelect: {
      Value v;
      for (ValueId o : body_.Operands(in)) v = flow::Join(v, Of(o));
      return v.Reached() ? v : out;
    }
    case Op::kTuple:
    case Op::kList:
    case Op::kDict:
    case Op::kSet:
      return Allocate(id, in);
    case Op::kAppend: {
      const Value& base = Of(body_.Operand(in, 0));
      StoreInto(id, body_.Operand(in, 1), base, Of(body_.Operand(in, 1)), StoreKind::kGrow, kNoSlot,
                sema::kNoName);
      return out;
    }
    case Op::kIterate: {
      out = ElementOf(Of(body_.Operand(in, 0)));
      const Instr& source = body_[body_.Operand(in, 0)];
      if (out.Is(Kind::kUnknown) && source.op == Op::kLoad &&
          LooksLikeOptimizer(SlotName(SlotId{source.aux}))) {
        out.kind = Kind::kOptimizer;  // for o in self.optimizers
        out.strength = Strength::kMedium;
      }
      return out;
    }
    case Op::kUnpack: {
      if (const std::optional<Value> part = IteratedPart(in)) return *part;
      const Value& base = Of(body_.Operand(in, 0));
      out = in.aux8 == 1 ? ElementOf(base) : ItemOf(base, in.aux, false);
      // loss, size, log = criterion(…): of a call nobody knows, only the parts that are used as
      // tensors are.
      const Instr& source = body_[body_.Operand(in, 0)];
      if (in.aux == 1 && in.aux8 == 0 && SecondIsIndices(source)) out.origins.reset();
      if (in.aux == 0 && IteratesNames(source)) return Value::Number();
      if (source.op == Op::kCall &&
          (EvidenceOf(id) & (facts::kIsTensor | facts::kIsDifferentiated)) == 0) {
        auto it = origin_ids_.find(std::uint64_t{Index(body_.Operand(in, 0))} << 8 |
                                   static_cast<std::uint64_t>(OriginKind::kCall));
        if (it != origin_ids_.end() || base.Is(Kind::kUnknown)) {
          Value unknown = Value::Unknown();
          unknown.objects = out.objects;
          return unknown;
        }
      }
      return out;
    }
    case Op::kFunction: {
      out = Value::Of(Kind::kFunction);
      out.ref = in.aux;
      return out;
    }
    case Op::kClass:
      out = Value::Of(Kind::kClass);
      out.ref = in.aux;
      return out;
    case Op::kReturn:
    case Op::kYield:
    case Op::kRaise: {
      Value v = Deep(Of(body_.Operand(in, 0)));
      if (in.op == Op::kReturn) {
        if (recording_) r_.returned |= v.origins;
      } else if (recording_) {
        r_.escaped |= v.origins;
      }
      return v;
    }
    case Op::kEnterWith:
      EnterWith(id, in, &out);
      return out;
    case Op::kExitWith:
      SetMode(saved_mode_[Index(body_.Operand(in, 0))]);
      return out;
    case Op::kUnknown:
      return out;
  }
  return out;
}

}  // namespace torchleak::flow
