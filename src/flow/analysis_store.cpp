// Stores: into variables, attributes, elements and containers.
#include <algorithm>
#include <bit>
#include <vector>

#include "flow/analysis.h"
#include "flow/names.h"

namespace torchleak::flow {

using sema::NameId;

namespace {

// Rebinding `a` makes what was known of `a.b` void.
void Forget(const Body& body, State& state, std::uint32_t slot) {
  for (std::uint32_t c = body.slots[slot].first_child; c != kNoKey; c = body.slots[c].next_child) {
    state.slots[c] = Value{};
    Forget(body, state, c);  // at most kMaxPath deep
  }
}

}  // namespace

bool WorthKeeping(const Value& what) {
  if (what.Is(Kind::kNumber) || what.Is(Kind::kNone) || what.Is(Kind::kModule) ||
      what.Is(Kind::kOptimizer)) {
    return what.origins.any() && !what.Is(Kind::kNumber) && !what.Is(Kind::kNone);
  }
  return what.origins.any() || what.Is(Kind::kTensor) || what.residency == Residency::kDevice;
}

void FunctionAnalysis::Assign(ValueId id, const Instr& in) {
  const auto slot_index = in.aux;
  const SlotId slot{slot_index};
  const Slot& s = body_.slots[slot_index];
  const ValueId source = body_.Operand(in, 0);
  Value value = Of(source);
  if (in.aux8 == 4) {  // parameter
    state_->slots[slot_index] = value;
    return;
  }
  value.flags = static_cast<std::uint8_t>(value.flags & ~kSelfObject);
  const bool counts = body_[source].op == Op::kUnpack || body_[source].op == Op::kAugment;
  const bool counted =
      counts && LooksLikeCount(SlotName(slot)) && !(EvidenceOf(source) & facts::kIsTensor);
  if (counted) value = Value::Number();  // loss, datapoint_count = model(batch)
  Value old = state_->slots[slot_index];
  const Instr& sum = body_[source];
  const bool sums = sum.op == Op::kAugment || (in.aux8 == 2 && sum.op == Op::kBinary);
  if (sums && value.Is(Kind::kContainer)) {  // losses += [loss], losses = losses + [loss]
    const ValueId added = body_.Operand(sum, 1);
    Value base = Of(body_.Operand(sum, 0));
    StoreInto(id, added, base, ElementOf(Of(added)), StoreKind::kGrow, slot, s.attribute);
    state_->slots[slot_index] = base;
    return;
  }
  if (in.aux8 == 5) {  // narrowed by a test of its type: nothing is assigned
    state_->slots[slot_index] = value;
    return;
  }
  if (s.depth > 0) GradAttribute(id, s.attribute, state_->slots[Index(s.parent)], value);
  // A product of factors is no sum: `scale *= 0.5`, `x = x * mask`.
  const auto op = static_cast<BinaryOp>(sum.aux8);
  const bool product = (sum.op == Op::kAugment || sum.op == Op::kBinary) &&
                       (op == BinaryOp::kMul || op == BinaryOp::kDiv);
  const bool chain = !product && (in.aux8 == 1 || (in.aux8 == 2 && Accumulates(source, slot)));
  const bool outer = !s.is_local || s.depth > 0;
  if (chain && !value.Is(Kind::kContainer) && (body_.LoopOf(id) != kNoLoop || outer)) {
    Objects sinks = outer ? Bit(EntryObject(slot)) : 0;
    ChainStore(id, source, value, slot, s.attribute, sinks, &value);
    LongerTensor(id, source, value, slot);
  } else {
    AddReset(id, slot, old, s.attribute, in.aux8 == 2);
    if (outer) {
      Value deep = Deep(value);
      if (recording_ && WorthKeeping(deep)) {
        Store store;
        store.kind = StoreKind::kSlot;
        store.value = id;
        store.stored = source;
        store.node = in.node;
        store.what = deep;
        store.sinks = Bit(EntryObject(slot));
        store.slot = slot;
        store.attribute = s.attribute;
        store.mode = state_->mode;
        r_.stores.push_back(store);
        r_.kept |= deep.origins;
      }
    }
  }
  state_->slots[slot_index] = value;
  if (s.first_child != kNoKey) Forget(body_, *state_, slot_index);
}

bool FunctionAnalysis::Accumulates(ValueId value, SlotId slot) const {
  std::vector<ValueId> work{value};
  for (int steps = 0; !work.empty() && steps < 32; ++steps) {
    const Instr& in = body_[work.back()];
    work.pop_back();
    switch (in.op) {
      case Op::kLoad:
        if (SlotId{in.aux} == slot) return true;
        break;
      case Op::kBinary:
      case Op::kAugment:
      case Op::kUnary:
      case Op::kSelect:
      case Op::kTuple:
      case Op::kList:
        for (ValueId o : body_.Operands(in)) work.push_back(o);
        break;
      case Op::kCall: {
        const Call& call = body_.calls[in.aux];
        std::string_view name = call.fact != nullptr ? call.fact->name : NameText(call.method);
        name = name.substr(name.rfind('.') + 1);
        const bool joins = name == "cat" || name == "concat" || name == "concatenate" ||
                           name == "stack" || name == "hstack" || name == "vstack" ||
                           name == "add" || name == "sum" || name == "lerp" || name == "mul";
        if (!joins) {
          if (JoinedByHelper(call, slot)) return true;
          break;
        }
        for (const Argument& a : body_.Arguments(call)) work.push_back(a.value);
        if (call.receiver != kNoValue) work.push_back(call.receiver);
        break;
      }
      default:
        break;
    }
  }
  return false;
}

// Does the function that is called build its result on the place's old value, and on more?
bool FunctionAnalysis::JoinedByHelper(const Call& call, SlotId slot) const {
  const Slot& place = body_.slots[Index(slot)];
  const World::Target target = world_.Resolve(body_, call);
  if (target.function == sema::kNoFunction || target.class_id != sema::kNoClass) return false;
  if (place.is_local && place.depth == 0) return false;  // hidden = step(hidden, x), layer by layer
  const Summary& summary = world_.result(target.function).summary;
  const std::vector<Bound> args = BindArguments(call, target.function, nullptr, target.bound);
  bool old = false, more = false;
  for (std::size_t i = 0; i < std::min<std::size_t>(args.size(), 64); ++i) {
    if (args[i].id == kNoValue || (summary.ret_params >> i & 1) == 0) continue;
    (args[i].slot == slot ? old : more) = true;
  }
  return old && more;
}

void FunctionAnalysis::ChainStore(ValueId id, ValueId stored, const Value& what, SlotId slot,
                                  NameId attribute, Objects sinks, Value* updated) {
  if (!WorthKeeping(what)) return;
  if (what.origins.none()) {
    if (updated != nullptr) *updated = what;
    return;
  }
  unsigned origin = OriginFor(id, OriginKind::kStore);
  Value kept = Deep(what);
  if (updated != nullptr) {
    *updated = what;
    updated->origins.set(origin);
  }
  if (!recording_) return;
  Store store;
  store.kind = StoreKind::kChain;
  store.value = id;
  store.stored = stored;
  store.node = body_[id].node;
  store.what = kept;
  store.sinks = sinks;
  store.slot = slot;
  store.attribute = attribute;
  store.origin = origin;
  store.mode = state_->mode;
  r_.origins[origin].ref = static_cast<std::uint32_t>(r_.stores.size());
  r_.stores.push_back(store);
  if (sinks != 0) r_.kept |= kept.origins;
}

// preds = torch.cat([preds, out]): no graph, but longer in each turn.
void FunctionAnalysis::LongerTensor(ValueId id, ValueId stored, const Value& what, SlotId slot) {
  const Instr& in = body_[stored];
  if (!recording_ || in.op != Op::kCall || what.origins.any() ||
      what.residency != Residency::kDevice)
    return;
  const Call& call = body_.calls[in.aux];
  const std::string_view name = call.fact != nullptr ? call.fact->name : std::string_view{};
  if (name != "torch.cat" && name != "torch.concat" && name != "torch.vstack" &&
      name != "torch.hstack")
    return;
  Store store;
  store.kind = StoreKind::kGrow;
  store.value = id;
  store.stored = stored;
  store.node = body_[id].node;
  store.what = what;
  store.slot = slot;
  store.mode = state_->mode;
  r_.stores.push_back(store);
}

void FunctionAnalysis::StoreInto(ValueId id, ValueId stored, const Value& base, const Value& what,
                                 StoreKind kind, SlotId slot, NameId attribute) {
  Value kept = Deep(what);
  const bool worth = WorthKeeping(kept);
  if (base.objects == 0) {
    if (recording_ && worth && base.Is(Kind::kUnknown)) r_.escaped |= kept.origins;
    return;
  }
  unsigned origin = worth ? OriginFor(id, OriginKind::kStore) : kOverflowOrigin;
  Value held = kept;
  if (worth) held.origins.set(origin);
  held.flags = static_cast<std::uint8_t>(held.flags & ~kBareParam);
  if (held.Is(Kind::kTensor)) held.objects = 0;  // a tensor is no place
  bool generator = false, outlives = false;
  for (Objects left = base.objects; left != 0; left &= left - 1) {
    auto i = static_cast<unsigned>(std::countr_zero(left));
    if (i >= r_.contents.size()) continue;
    generator |= r_.objects[i].generator;
    outlives |= r_.objects[i].kind == ObjectKind::kEntry;
    Value joined = flow::Join(r_.contents[i], held);
    if (!(joined == r_.contents[i])) {
      r_.contents[i] = joined;
      heap_changed_ = true;
    }
  }
  if (!recording_ || generator || !worth) return;
  Store store;
  store.kind = kind;
  store.value = id;
  store.stored = stored;
  store.node = body_[id].node;
  store.what = kept;
  store.sinks = base.objects;
  store.slot = slot;
  store.attribute = attribute;
  store.origin = origin;
  store.mode = state_->mode;
  r_.origins[origin].ref = static_cast<std::uint32_t>(r_.stores.size());
  r_.stores.push_back(store);
  if (outlives) r_.kept |= kept.origins;
}

void FunctionAnalysis::PutField(Objects objects, std::uint32_t key, const Value& what) {
  for (Objects left = objects; left != 0; left &= left - 1) {
    auto i = static_cast<unsigned>(std::countr_zero(left));
    if (i >= r_.fields.size()) continue;
    auto& fields = r_.fields[i];
    auto it =
        std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.first == key; });
    if (it == fields.end()) {
      if (fields.size() < 64) fields.emplace_back(key, what), heap_changed_ = true;
    } else {
      Value joined = flow::Join(it->second, what);
      if (!(joined == it->second)) it->second = joined, heap_changed_ = true;
    }
  }
}

// The variable or attribute that a place is a part of: `self.xs` of self.xs[name].
SlotId FunctionAnalysis::PlaceOf(ValueId value) const {
  while (value != kNoValue && body_[value].op == Op::kGetItem)
    value = body_.Operand(body_[value], 0);
  return value != kNoValue && body_[value].op == Op::kLoad ? SlotId{body_[value].aux} : kNoSlot;
}

void FunctionAnalysis::SetItem(ValueId id, const Instr& in) {
  const ValueId base_id = body_.Operand(in, 0), stored = body_.Operand(in, 2);
  const Value base = Of(base_id);
  const Value what = Of(stored);
  const Instr& base_instr = body_[base_id];
  SlotId slot = PlaceOf(base_id);
  NameId attribute = slot == kNoSlot ? sema::kNoName : body_.slots[Index(slot)].attribute;
  const bool chain = in.aux8 != 0;
  if (base.Is(Kind::kInstance)) {  // a class of this file may do anything in __setitem__
    sema::FunctionId f =
        world_.module().FindMethod(sema::ClassId{base.ref}, std::string_view("__setitem__"));
    if (f != sema::kNoFunction) {
      ApplyTo(id, f,
              {{base, base_id, slot},
               {Of(body_.Operand(in, 1)), body_.Operand(in, 1), kNoSlot},
               {what, stored, kNoSlot}});
      return;
    }
  }
  std::string_view place = NameText(attribute);
  if (place == "_parameters" || place == "_buffers" || place == "_modules")
    return;  // a module's own registry
  const Instr& made = body_[stored];
  const bool empties = (made.op == Op::kList || made.op == Op::kDict) && made.argc == 0;
  if (empties) AddReset(id, slot, base, attribute, false);  // self.d[k] = []
  syntax::NodeId index_node = body_[body_.Operand(in, 1)].node;
  const Value& index_value = Of(body_.Operand(in, 1));
  const syntax::Kind index_kind = world_.module().tree().kind(index_node);
  const bool region = index_kind == syntax::Kind::kSlice || index_kind == syntax::Kind::kTuple ||
                      index_value.Is(Kind::kTensor) ||
                      world_.module().tree().Text(in.node).find(':') <
                          world_.module().tree().Text(in.node).find('=');
  if (region && !base.Is(Kind::kContainer)) {  // x[mask] = …, x[:, i] = …: a region of a tensor
    if (recording_) r_.escaped |= what.origins;
    return;
  }
  if (base.Is(Kind::kTensor) &&
      (base.objects == 0 ||
       base_instr.op == Op::kLoad)) {  // written into a tensor: its graph grows
    if (slot == kNoSlot || what.origins.none() || state_->mode == GradMode::kOff) return;
    Value updated = base;
    updated.origins |= what.origins;
    const Slot& s = body_.slots[Index(slot)];
    Objects sinks = !s.is_local || s.depth > 0 ? Bit(EntryObject(slot)) : 0;
    ChainStore(id, stored, updated, slot, attribute, sinks, &updated);
    state_->slots[Index(slot)] = updated;
    return;
  }
  // A hook made for one layer writes under the name that its factory was given: one place.
  const Instr& index = body_[body_.Operand(in, 1)];
  const bool captured_key =
      role_ != Role::kPlain && index.op == Op::kLoad &&
      (!body_.slots[index.aux].is_local || Of(body_.Operand(in, 1)).Is(Kind::kModule));
  StoreKind kind = captured_key       ? StoreKind::kSlot
                   : chain            ? StoreKind::kChain
                   : in.aux == kNoKey ? StoreKind::kKeyed
                                      : StoreKind::kSlot;
  StoreInto(id, stored, base, what, kind, slot, attribute);
  if (in.aux != kNoKey) PutField(base.objects, in.aux, Deep(what));
}

// What __init__ freezes stays frozen in all methods.
void FunctionAnalysis::NoteFrozen(SlotId slot) {
  const Slot& s = body_.slots[Index(slot)];
  const sema::ClassId cls = world_.SelfClass(s.root);
  if (cls == sema::kNoClass || NameText(world_.module()[body_.function].name) != "__init__") return;
  if (s.depth == 0) world_.NoteFrozenClass(cls);
  if (s.depth == 1) world_.NoteFrozenAttribute(cls, s.attribute);
}

// The module whose parameters these are needs no gradient from here on.
void FunctionAnalysis::Freeze(ValueId id, const Value& parameters) {
  if (parameters.ref == kNoRef) return;
  Value& module = state_->slots[parameters.ref];
  if (!module.Reached()) module = EntryValue(id, SlotId{parameters.ref});
  module.flags |= kFrozen;
  NoteFrozen(SlotId{parameters.ref});
}

// p.requires_grad = False over a module's parameters freezes it; p.grad = None clears.
void FunctionAnalysis::GradAttribute(ValueId id, NameId name, const Value& base,
                                     const Value& what) {
  std::string_view text = NameText(name);
  if (text == "requires_grad" && what.Has(kIsFalse) && base.Is(Kind::kParameters)) Freeze(id, base);
  if (text == "requires_grad" && what.Has(kIsTrue) && recording_ && !base.Is(Kind::kParameters))
    r_.wants_input_grad = true;
  if (text == "grad" && recording_) {
    r_.grad_ops.push_back(
        {GradOpKind::kClearAll, id, kNoKey, Strength::kStrong, sema::kNoFunction});
  }
}

void FunctionAnalysis::SetAttribute(ValueId id, const Instr& in) {
  const Value base = Of(body_.Operand(in, 0));
  const ValueId stored = body_.Operand(in, 1);
  const Value what = Of(stored);
  NameId name{in.aux};
  GradAttribute(id, name, base, what);
  Value deep = Deep(what);
  if (recording_ && WorthKeeping(deep) && base.objects != 0) {
    Store store;
    store.kind = in.aux8 == 1 ? StoreKind::kChain : StoreKind::kSlot;
    store.value = id;
    store.stored = stored;
    store.node = in.node;
    store.what = deep;
    store.sinks = base.objects;
    store.attribute = name;
    store.mode = state_->mode;
    r_.stores.push_back(store);
    r_.kept |= deep.origins;
  } else if (recording_) {
    r_.escaped |= deep.origins;
  }
}

void FunctionAnalysis::Delete(ValueId id, const Instr& in) {
  if (in.op == Op::kDelItem) {  // del xs[:], del xs[i]
    const ValueId base = body_.Operand(in, 0);
    const Instr& b = body_[base];
    SlotId slot = b.op == Op::kLoad ? SlotId{b.aux} : kNoSlot;
    AddReset(id, slot, Of(base),
             slot == kNoSlot ? sema::kNoName : body_.slots[Index(slot)].attribute, in.aux8 == 0);
    return;
  }
  const SlotId slot{in.aux};
  AddReset(id, slot, state_->slots[in.aux], body_.slots[in.aux].attribute, false);
  state_->slots[in.aux] = Value::Unknown();
  Forget(body_, *state_, in.aux);
}

void FunctionAnalysis::AddReset(ValueId id, SlotId slot, const Value& base, NameId attribute,
                                bool shrinks) {
  if (!recording_) return;
  Reset reset;
  reset.value = id;
  reset.slot = slot;
  reset.objects = base.objects;
  reset.attribute = attribute;
  reset.shrinks = shrinks;
  r_.resets.push_back(reset);
}

}  // namespace torchleak::flow
