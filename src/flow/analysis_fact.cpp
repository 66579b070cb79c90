// Library calls: the effects and the result that a fact states.
#include <algorithm>
#include <array>
#include <bit>

#include "flow/analysis.h"
#include "flow/arguments.h"
#include "flow/names.h"

namespace torchleak::flow {

using facts::Fact;

// A loss's target wants no gradient, but people swap the arguments, and compare two outputs of one
// module.
int FunctionAnalysis::TargetOf(const Call& call, const Fact& fact) const {
  if (fact.target < 0) return fact.target;
  const Origins first = Deep(ArgumentValue(call, 0)).origins & r_.graph_mask;
  if (first.none()) return Fact::kNoTarget;
  const Origins target =
      Deep(ArgumentValue(call, static_cast<unsigned>(fact.target))).origins & r_.graph_mask;
  for (std::size_t i = 0; i < r_.origins.size(); ++i) {
    for (std::size_t j = 0; j < r_.origins.size() && target.test(i); ++j) {
      if (first.test(j) && r_.origins[i].ref == r_.origins[j].ref &&
          r_.origins[i].kind == r_.origins[j].kind)
        return Fact::kNoTarget;
    }
  }
  return fact.target;
}

Value FunctionAnalysis::SubjectOf(const Call& call, int index, const Value* receiver) const {
  if (index == Fact::kReceiver) return receiver != nullptr ? *receiver : Value{};
  Value v = ArgumentValue(call, static_cast<unsigned>(index));
  for (std::string_view name : {"outputs", "tensors", "loss", "optimizer"}) {
    if (const Argument* a = v.Reached() ? nullptr : Keyword(call, name)) v = Of(a->value);
  }
  return v;
}

Value FunctionAnalysis::ApplyFact(ValueId id, const Call& call, const Fact& fact,
                                  const Value* receiver) {
  // torch.Tensor.backward(loss)
  Value first;
  if (receiver == nullptr && call.argc > 0 && fact.name.starts_with("torch.Tensor.")) {
    first = ArgumentValue(call, 0);
    receiver = &first;
  }
  FactEffects(id, call, fact, receiver);
  return FactResult(id, call, fact, receiver);
}

void FunctionAnalysis::Differentiate(ValueId id, const Call& call, const Value& what,
                                     bool through_grad) {
  if (!recording_) return;
  Backward b;
  b.value = id;
  b.node = call.node;
  b.origins = Deep(what).origins;
  b.through_grad = through_grad;
  b.direct = true;
  const Argument* retain = Keyword(call, "retain_graph");
  const Argument* create = Keyword(call, "create_graph");
  b.retain_written = IsTrue(retain);
  b.retains = (retain != nullptr && !IsFalse(retain)) ||
              (create != nullptr && !IsFalse(create) && !IsFalse(retain));
  if (retain == nullptr && create == nullptr && !through_grad && call.argc >= 2 &&
      ArgumentValue(call, 1).Has(kIsTrue)) {
    b.retains = true;
  }
  r_.differentiated |= b.origins;
  // What backward() walks has a graph; when one maker alone can have given it, that one did.
  if (const Origins makers = b.origins & r_.graph_mask; makers.count() == 1) {
    for (std::size_t i = 0; i < r_.origins.size(); ++i)
      if (makers.test(i)) r_.origins[i].strength = Strength::kStrong;
  }
  if (!b.retains) r_.freed |= b.origins;
  r_.backwards.push_back(b);
  if (!through_grad)
    r_.grad_ops.push_back(
        {GradOpKind::kBackward, id, kNoKey, Strength::kStrong, sema::kNoFunction});
}

void FunctionAnalysis::FactEffects(ValueId id, const Call& call, const Fact& fact,
                                   const Value* receiver) {
  const Value subject = SubjectOf(call, fact.subject, receiver);
  if (fact.effects & (facts::kBackward | facts::kGradOfInputs)) {
    Differentiate(id, call, SubjectOf(call, fact.loss, receiver),
                  (fact.effects & facts::kGradOfInputs) != 0);
  }
  ModeEffects(call, fact, receiver);
  const Value closure = ArgumentValue(call, 0);  // optimizer.step(closure) calls it
  if ((fact.effects & facts::kStep) && closure.Is(Kind::kFunction) && closure.ref != kNoRef &&
      world_.result(sema::FunctionId{closure.ref}).summary.ready)
    ApplyTo(id, sema::FunctionId{closure.ref}, {});
  if (receiver != nullptr) {
    StoreEffects(id, call, fact, *receiver);
    InPlaceEffects(id, call, fact, *receiver);
  }
  if (!recording_) return;
  GradEffects(id, call, fact, subject);
  if (fact.effects & facts::kRemovesHook) r_.removed |= subject.origins;
  const bool cuts_history = fact.name == "torch.Tensor.detach_" && call.receiver_slot != kNoSlot;
  if (receiver != nullptr &&
      (cuts_history || (fact.effects & (facts::kClears | facts::kTakesOut)))) {
    AddReset(id, call.receiver_slot, *receiver,
             call.receiver_slot == kNoSlot ? sema::kNoName
                                           : body_.slots[Index(call.receiver_slot)].attribute,
             (fact.effects & facts::kTakesOut) != 0);
  }
}

// eval(), train(), requires_grad_(), set_grad_enabled() as a statement.
void FunctionAnalysis::ModeEffects(const Call& call, const Fact& fact, const Value* receiver) {
  const bool off = ArgumentValue(call, 0).Has(kIsFalse);
  if ((fact.effects & facts::kWantsGrad) && recording_ && receiver != nullptr &&
      !receiver->Is(Kind::kModule) && !off) {
    r_.wants_input_grad = true;
  }
  const SlotId base = BaseSlot(call);
  auto mark = [&](ValueFlag flag, bool set) {
    if (base == kNoSlot) return;
    Value& slot = state_->slots[Index(base)];
    if (!slot.Reached()) slot = *receiver;
    slot.flags = static_cast<std::uint8_t>(set ? slot.flags | flag : slot.flags & ~flag);
    if (recording_ && flag == kInEvalMode) r_.mode_ops.emplace_back(base, set);
  };
  const bool may_be_module =
      receiver != nullptr && (receiver->Is(Kind::kModule) || receiver->Is(Kind::kInstance) ||
                              receiver->Is(Kind::kEngine) || receiver->Is(Kind::kUnknown));
  if (may_be_module) {
    if (fact.effects & facts::kTrainMode) {
      mark(kInEvalMode, off);
    } else if (fact.effects & facts::kEvalMode) {
      mark(kInEvalMode, true);
    }
    if ((fact.effects & (facts::kFreezes | facts::kWantsGrad)) && off) {
      mark(kFrozen, true);
      if (base != kNoSlot) NoteFrozen(base);
    }
  }
  if (!(fact.effects & facts::kGradSet)) return;
  const syntax::Tree& tree = world_.module().tree();
  syntax::NodeId parent = tree.Parent(call.node);
  if (parent != syntax::kNoNode && tree.kind(parent) == syntax::Kind::kExpressionStatement) {
    SetMode(off                                   ? GradMode::kOff
            : ArgumentValue(call, 0).Has(kIsTrue) ? GradMode::kOn
                                                  : GradMode::kUnknown);
  }
}

// append, extend, update.
void FunctionAnalysis::StoreEffects(ValueId id, const Call& call, const Fact& fact,
                                    const Value& receiver) {
  if (fact.effects & (facts::kStores | facts::kStoresAll)) {
    ValueId stored = call.argc > 0 ? body_.Arguments(call)[0].value : kNoValue;
    int position = 0;
    for (const Argument& a : body_.Arguments(call)) {
      if (a.keyword == sema::kNoName && position++ == fact.subject) stored = a.value;
    }
    if (stored != kNoValue) {
      Value what = fact.effects & facts::kStoresAll ? ElementOf(Of(stored)) : Of(stored);
      const SlotId slot = PlaceOf(call.receiver);
      sema::NameId attribute = slot == kNoSlot ? sema::kNoName : body_.slots[Index(slot)].attribute;
      // d.update(other) overwrites keys; a list grows.
      StoreKind kind = fact.name.starts_with("builtins.dict") ? StoreKind::kSlot : StoreKind::kGrow;
      StoreInto(id, stored, receiver, what, kind, slot, attribute);
    }
  }
}

namespace {

// The variable or attribute that a call hands in at a position.
SlotId PlainArgument(const Body& body, const Call& call, int index) {
  int position = 0;
  for (const Argument& a : body.Arguments(call)) {
    if (a.stars != 0) break;
    if (a.keyword != sema::kNoName || position++ != index) continue;
    const Instr& in = body[a.value];
    return in.op == Op::kLoad ? SlotId{in.aux} : kNoSlot;
  }
  return kNoSlot;
}

}  // namespace

// step(), zero_grad(), and engines that clear by themselves.
void FunctionAnalysis::GradEffects(ValueId id, const Call& call, const Fact& fact,
                                   const Value& subject) {
  const bool of_receiver = fact.subject == Fact::kReceiver;
  const SlotId slot = of_receiver                 ? call.receiver_slot
                      : subject.Is(Kind::kTensor) ? kNoSlot
                                                  : PlainArgument(body_, call, fact.subject);
  const std::uint32_t key = GradKey(subject, slot);
  auto push = [&](GradOpKind kind, Strength strength) {
    r_.grad_ops.push_back({kind, id, key, strength, sema::kNoFunction});
  };
  if (fact.effects & facts::kStep) {
    const bool named = !of_receiver || LooksLikeOptimizer(SlotName(call.receiver_slot));
    const bool known = subject.Is(Kind::kOptimizer);
    // Torch's take a closure at most: step(loss, model) is a wrapper, which clears as it likes.
    const bool wrapper = of_receiver && call.argc > 1;
    if (wrapper) push(GradOpKind::kMayClear, Strength::kWeak);
    if (!wrapper && !subject.Is(Kind::kScheduler) && (known || named))
      push(GradOpKind::kStep, known ? subject.strength : Strength::kMedium);
  }
  if (fact.effects & facts::kZeroGrad) {
    const bool named = subject.Is(Kind::kUnknown) && of_receiver && call.receiver_slot != kNoSlot &&
                       LooksLikeModule(SlotName(call.receiver_slot));
    const bool module =
        subject.Is(Kind::kModule) || subject.Is(Kind::kInstance) || key == kNoKey || named;
    push(module ? GradOpKind::kClearAll : GradOpKind::kClear, Strength::kStrong);
  }
  if (fact.effects & facts::kMayClearGrads)
    r_.grad_ops.push_back(
        {GradOpKind::kMayClearAll, id, kNoKey, Strength::kWeak, sema::kNoFunction});
}

Value FunctionAnalysis::FactResult(ValueId id, const Call& call, const Fact& fact,
                                   const Value* receiver) {
  using R = facts::Result;
  using G = facts::Graph;
  if (fact.part_count > 0) {
    std::vector<Value> parts;
    for (std::size_t i = 0; i < fact.part_count; ++i)
      parts.push_back(World::OfResult(fact.parts[i]));
    return Tuple(id, parts);
  }
  switch (fact.result) {
    case R::kNumber:
      return Value::Number();
    case R::kNone:
      return Value::Of(Kind::kNone);
    case R::kSelf: {
      Value v = receiver != nullptr ? *receiver : ArgumentValue(call, 0);
      if (!v.Reached()) return Value::Unknown();
      if ((fact.effects & facts::kEvalMode) && !(fact.effects & facts::kTrainMode))
        v.flags |= kInEvalMode;
      if (fact.effects & (facts::kFreezes | facts::kWantsGrad) &&
          ArgumentValue(call, 0).Has(kIsFalse))
        v.flags |= kFrozen;
      v.flags = static_cast<std::uint8_t>(v.flags & ~kBareParam);
      if (fact.graph == G::kDrops) v.origins.reset();
      if (v.Is(Kind::kUnknown) && fact.name.starts_with("torch.nn.Module.") &&
          !(facts::EvidenceOfMethod(fact.name.substr(fact.name.rfind('.') + 1)) &
            facts::kIsTensor)) {  // build().eval()
        v.kind = Kind::kModule;
        v.strength = Strength::kMedium;
        v.origins.reset();
        return v;
      }
      // x.items() of something unknown gives no tensor, x.to(device) may.
      if (v.Is(Kind::kTensor) || (v.Is(Kind::kUnknown) && fact.name.starts_with("torch."))) break;
      if (fact.residency == facts::Residency::kDevice) v.residency = Residency::kDevice;
      return v;
    }
    case R::kArguments:  // model, optimizer, loader = accelerator.prepare(…)
    case R::kArgument: {
      if (fact.result == R::kArguments && call.argc > 1) {
        std::vector<Value> parts;
        for (const Argument& a : body_.Arguments(call)) parts.push_back(Of(a.value));
        return Tuple(id, parts);
      }
      const Value v = ArgumentValue(call, 0);
      return v.Reached() ? v : Value::Unknown();
    }
    case R::kElement: {
      Value v = receiver != nullptr ? *receiver : ArgumentValue(call, 0);
      return v.Reached() ? ElementOf(v) : Value::Unknown();
    }
    case R::kList:
    case R::kDict:
    case R::kSet:
    case R::kDeque: {
      unsigned object = ObjectFor(id, ObjectKind::kAllocation);
      Value v = Value::Of(Kind::kContainer);
      v.objects = Bit(object);
      if (object >= r_.objects.size()) return v;
      if (fact.result == R::kDeque && HasMaxLength(world_.module(), body_, call))
        r_.objects[object].bounded = true;
      if (fact.graph != G::kDrops) {
        Value held = r_.contents[object];
        if (receiver != nullptr && (receiver->objects != 0 || receiver->origins.any()))
          held = flow::Join(held, ElementOf(*receiver));
        for (const Argument& a : body_.Arguments(call)) {
          if (Of(a.value).Is(Kind::kFunction) || Of(a.value).Is(Kind::kClass)) continue;
          held = flow::Join(
              held, a.keyword != sema::kNoName ? Deep(Of(a.value)) : ElementOf(Deep(Of(a.value))));
        }
        if (held.Reached() && !(held == r_.contents[object])) {
          r_.contents[object] = held;
          heap_changed_ = true;
        }
      }
      return v;
    }
    case R::kParameters: {
      Value v = Value::Of(Kind::kParameters);
      if (call.receiver_slot != kNoSlot) v.ref = Index(call.receiver_slot);
      return v;
    }
    case R::kUnknown:
      if ((fact.effects & ~facts::kOfOverrides) == 0) {
        Value v = UnknownCall(id, call, receiver);
        if (v.Is(Kind::kUnknown)) v.ref = world_.OfFact(fact).ref;
        return v;
      }
      return Value::Unknown();
    case R::kModule:
    case R::kOptimizer:
    case R::kScheduler:
    case R::kScaler:
    case R::kLoader:
    case R::kDataset:
    case R::kHandle:
    case R::kContext:
    case R::kDistribution:
    case R::kWriter:
    case R::kMetric:
    case R::kEngine: {
      Value v = world_.OfFact(fact);
      if (fact.result == R::kModule && SizeOfLoss(world_.module(), body_, call) != Size::kScalar)
        v.size = Size::kSized;  // what it will give
      if (fact.result == R::kMetric || fact.result == R::kDataset) v.kind = Kind::kUnknown;
      if (fact.result == R::kDistribution) {
        v.kind = Kind::kDistribution;
        if (state_->mode != GradMode::kOff) v.origins = ArgumentOrigins(call, -1);
      }
      if (fact.result == R::kOptimizer) {
        const unsigned object = ObjectFor(id, ObjectKind::kAllocation);
        v.objects = Bit(object);
        if (recording_)
          r_.grad_ops.push_back(
              {GradOpKind::kClear, id, object, Strength::kStrong, sema::kNoFunction});  // new
      }
      return v;
    }
    default:
      break;
  }
  Value v = Value::Of(Kind::kTensor);
  Origins inputs = ArgumentOrigins(call, TargetOf(call, fact));
  if (receiver != nullptr) {
    // x.to(other), x.view_as(other): only the shape or place of the argument counts
    const bool like = fact.residency == facts::Residency::kArgument || fact.name.ends_with("_as");
    if (like) inputs.reset();
    inputs |= Deep(*receiver).origins;
  }
  const bool second_order =
      (fact.effects & facts::kGradOfInputs) && IsTrue(Keyword(call, "create_graph"));
  if ((fact.graph != G::kDrops || second_order) && state_->mode != GradMode::kOff)
    v.origins = inputs;
  // A parameter or a leaf that wants a gradient has no graph behind it.
  const bool leaf =
      fact.is_class || (fact.effects & facts::kWantsGrad) || fact.name.starts_with("torch.nn.");
  if (fact.graph == G::kMakes && state_->mode != GradMode::kOff && !leaf) {
    v.origins.set(MakeGraph(id, OriginKind::kCall, Strength::kMedium));
  }
  PlaceAndSize(call, fact, receiver, &v);
  return v;
}

// Where the result lies and how large it is.
void FunctionAnalysis::PlaceAndSize(const Call& call, const Fact& fact, const Value* receiver,
                                    Value* value) const {
  using R = facts::Result;
  Value& v = *value;
  const Value first = receiver != nullptr ? *receiver : ArgumentValue(call, 0);
  v.strength = Strength::kStrong;
  v.flags = static_cast<std::uint8_t>(first.flags & kMovedToHost);
  switch (fact.residency) {
    case facts::Residency::kHost:
      v.residency = Residency::kHost;
      v.flags |= kMovedToHost;
      break;
    case facts::Residency::kDevice:
      v.residency = Residency::kDevice;
      break;
    case facts::Residency::kKeeps:
      v.residency = first.Is(Kind::kTensor) || first.Is(Kind::kUnknown) ? first.residency
                                                                        : Residency::kUnknown;
      for (const Argument& a : body_.Arguments(call)) {
        const Value arg = Deep(Of(a.value));
        if (arg.Has(kMovedToHost)) v.flags |= kMovedToHost;
        if (arg.residency == Residency::kDevice) v.residency = Residency::kDevice;
      }
      break;
    case facts::Residency::kArgument: {
      // .to("cuda"), .to(device), device=device: a name says device unless it says cpu
      const Argument* device = Keyword(call, "device");
      syntax::NodeId node = syntax::kNoNode;
      if (device != nullptr) {
        node = body_[device->value].node;
      } else if (receiver != nullptr && call.argc > 0) {
        node = body_[body_.Arguments(call)[0].value].node;
      }
      v.residency = receiver != nullptr ? first.residency : Residency::kUnknown;
      if (node != syntax::kNoNode) {
        std::string_view text = world_.module().tree().Text(node);
        if (text.find("cpu") != text.npos) {
          v.residency = Residency::kHost;
          if (receiver != nullptr) v.flags |= kMovedToHost;
        } else if (text.find("cuda") != text.npos || text.find("gpu") != text.npos) {
          v.residency = Residency::kDevice;
        } else {  // `device`, `self.device`; an `output_device` may well be the host
          std::string_view last = text.substr(text.rfind('.') + 1);
          if (last == "device" || last == "dev" || last == "DEVICE") {
            v.residency = Residency::kDevice;
          } else if (last.find("device") != last.npos) {
            v.residency = Residency::kUnknown;
          }
        }
      }
      break;
    }
  }
  switch (fact.size) {
    case facts::Size::kScalar:
      v.size = SizeOfLoss(world_.module(), body_, call);
      break;
    case facts::Size::kSized:
      v.size = Size::kSized;
      break;
    case facts::Size::kKeeps:
      v.size = first.size;
      break;
    case facts::Size::kUnknown:
      v.size = Size::kUnknown;
      break;
  }
  const bool whole = call.argc == (receiver != nullptr ? 0u : 1u);
  if (fact.reduces && whole) v.size = Size::kScalar;
  if (fact.result == R::kTensors && !(fact.reduces && whole))
    v.kind = v.origins.any() ? Kind::kTensor : Kind::kContainer;
}

}  // namespace torchleak::flow
