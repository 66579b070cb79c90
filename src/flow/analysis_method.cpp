// receiver.method(…), in this order: hooks, modules run by their forward(), methods of this file's
// classes, calls with a meaning of their own (backward, step), containers, facts by the receiver's
// kind, attributes that are called, and at last what the method's name alone says.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
#include <utility>

#include "flow/analysis.h"
#include "flow/names.h"

namespace torchleak::flow {

using facts::Fact;

namespace {

// Methods that only containers have.
bool TellsContainer(std::string_view name) {
  static constexpr std::array<std::string_view, 11> kNames{
      "append", "extend", "appendleft", "insert",  "clear",      "items",
      "values", "keys",   "setdefault", "popleft", "__setitem__"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::string_view ClassOfKind(const Value& receiver) {
  switch (receiver.kind) {
    case Kind::kTensor:
      return "torch.Tensor";
    case Kind::kModule:
      return receiver.ref != kNoRef && receiver.ref >= 0x80000000u
                 ? facts::All()[receiver.ref & 0x7FFFFFFFu].name
                 : std::string_view("torch.nn.Module");
    case Kind::kOptimizer:
      return "torch.optim.Optimizer";
    case Kind::kScheduler:
      return "torch.optim.lr_scheduler.LRScheduler";
    case Kind::kScaler:
      return "torch.amp.GradScaler";
    case Kind::kHandle:
      return "torch.utils.hooks.RemovableHandle";
    case Kind::kWriter:
      return "torch.utils.tensorboard.SummaryWriter";
    case Kind::kDistribution:
      return "torch.distributions.Distribution";
    case Kind::kLoader:
      return "torch.utils.data.DataLoader";
    case Kind::kUnknown:
      return receiver.ref != kNoRef && receiver.ref >= 0x80000000u
                 ? facts::All()[receiver.ref & 0x7FFFFFFFu].name
                 : std::string_view{};
    case Kind::kEngine:
      return receiver.ref != kNoRef && receiver.ref >= 0x80000000u
                 ? facts::All()[receiver.ref & 0x7FFFFFFFu].name
                 : std::string_view("accelerate.Accelerator");
    default:
      return {};
  }
}

}  // namespace

Value FunctionAnalysis::MethodCall(ValueId id, const Call& call, const Value& receiver) {
  using Step = std::optional<Value> (FunctionAnalysis::*)(ValueId, const Call&, const Value&);
  static constexpr std::array<Step, 8> kSteps{
      &FunctionAnalysis::HookMethod,      &FunctionAnalysis::ForwardMethod,
      &FunctionAnalysis::OwnMethod,       &FunctionAnalysis::GradMethod,
      &FunctionAnalysis::ContainerMethod, &FunctionAnalysis::KindMethod,
      &FunctionAnalysis::CalledAttribute, &FunctionAnalysis::TellingMethod};
  const Value object = AsModule(call, receiver);
  for (Step step : kSteps) {
    if (std::optional<Value> result = (this->*step)(id, call, object)) return *result;
  }
  return UnknownCall(id, call, &object);
}

// What was taken for a tensor, and has parameters() or eval(), is a module.
Value FunctionAnalysis::AsModule(const Call& call, const Value& receiver) {
  const std::uint16_t says = facts::EvidenceOfMethod(NameText(call.method));
  if (!receiver.Is(Kind::kTensor) || receiver.strength == Strength::kStrong ||
      !(says & facts::kIsModule) || (says & (facts::kIsTensor | facts::kIsOptimizer)))
    return receiver;
  Value module = Value::Of(Kind::kModule);
  module.flags = receiver.flags;
  if (call.receiver_slot != kNoSlot) state_->slots[Index(call.receiver_slot)] = module;
  return module;
}

std::optional<Value> FunctionAnalysis::HookMethod(ValueId id, const Call& call,
                                                  const Value& receiver) {
  std::string_view name = NameText(call.method);
  if (!IsTorchHook(name) || call.argc == 0) return {};
  const bool own =
      receiver.Is(Kind::kInstance) &&
      world_.module().FindMethod(sema::ClassId{receiver.ref}, call.method) != sema::kNoFunction;
  const bool tensor = receiver.Is(Kind::kTensor) ||
                      (EvidenceOf(call.receiver) & facts::kIsTensor) || receiver.origins.any();
  if (own || (name == "register_hook" && !tensor)) return {};
  AddHook(id, call, receiver);
  return Of(id).Reached() ? Of(id) : Value::Of(Kind::kHandle);
}

// model.forward(x) is model(x), but for the hooks.
std::optional<Value> FunctionAnalysis::ForwardMethod(ValueId id, const Call& call,
                                                     const Value& receiver) {
  if (NameText(call.method) != "forward" || call.argc == 0) return {};
  Value module = receiver;
  module.kind = Kind::kModule;
  if (receiver.Is(Kind::kInstance)) {  // self.forward(x) beside forward()
    if (role_ == Role::kForward || !world_.IsModuleClass(sema::ClassId{receiver.ref})) return {};
    const FunctionResult* forward = ForwardOf(module);
    // A forward() that gives nothing back leaves its output on `self`: a method like others.
    if (forward != nullptr && forward->summary.ret.value.Is(Kind::kNone)) return {};
  } else if (receiver.Is(Kind::kUnknown)) {  // the receiver's name must speak as well
    if (call.receiver_slot == kNoSlot || !LooksLikeModule(SlotName(call.receiver_slot))) return {};
    module.strength = Strength::kMedium;
  } else if (!receiver.Is(Kind::kModule)) {
    return {};
  }
  return RunModule(id, call, module, call.receiver_slot);
}

std::optional<Value> FunctionAnalysis::OwnMethod(ValueId id, const Call& call,
                                                 const Value& receiver) {
  const sema::Module& m = world_.module();
  World::Target t = world_.Resolve(body_, call);
  const bool has_class = receiver.ref != kNoRef && receiver.ref < 0x80000000u &&
                         (receiver.Is(Kind::kInstance) || receiver.Is(Kind::kModule));
  if (t.function == sema::kNoFunction && has_class) {
    t.function = m.FindMethod(sema::ClassId{receiver.ref}, call.method);
    t.bound = t.function != sema::kNoFunction && !m[t.function].is_static;
  }
  const bool forward = receiver.Is(Kind::kModule) && NameText(call.method) == "forward";
  if (t.function == sema::kNoFunction || forward) return {};
  return ApplySummary(id, call, t.function, &receiver, t.bound);
}

// backward, step and their kin, whose meaning does not depend on knowing the receiver.
std::optional<Value> FunctionAnalysis::GradMethod(ValueId id, const Call& call,
                                                  const Value& receiver) {
  std::string_view name = NameText(call.method);
  if (name == "backward") {
    const bool engine = call.argc > 0 && call.receiver_slot != kNoSlot &&
                        RunsBackward(SlotName(call.receiver_slot));
    Value what = engine || receiver.Is(Kind::kEngine) ? ArgumentValue(call, 0) : receiver;
    Differentiate(id, call, what, false);
    return Value::Of(Kind::kNone);
  }
  if (name == "manual_backward") {
    Differentiate(id, call, ArgumentValue(call, 0), false);
    return Value::Of(Kind::kNone);
  }
  if (name == "enter_context" &&
      call.argc > 0) {  // of an ExitStack: in force until its `with` ends
    const ValueId context = body_.Arguments(call)[0].value;
    const std::string_view text = world_.module().tree().Text(body_[context].node);
    if (TurnsGradOff(text.substr(0, text.find('(')))) SetMode(GradMode::kOff);
    return {};
  }
  if (name == "requires_grad_" && receiver.Is(Kind::kParameters) && call.argc > 0) {
    if (ArgumentValue(call, 0).Has(kIsFalse)) Freeze(id, receiver);
    return receiver;
  }
  if ((name == "scale" || name == "scale_loss") && call.argc > 0) {
    Value v = ArgumentValue(call, 0);
    if (v.Reached() && (v.Is(Kind::kTensor) || (EvidenceOf(id) & facts::kIsDifferentiated)))
      return v;
  }
  if (name == "zero_" && call.receiver_slot != kNoSlot &&
      recording_) {  // p.grad.zero_(), p.grad.data.zero_()
    const Slot& s = body_.slots[Index(call.receiver_slot)];
    const bool grad =
        NameText(s.attribute) == "grad" ||
        (s.parent != kNoSlot && NameText(body_.slots[Index(s.parent)].attribute) == "grad");
    if (grad)
      r_.grad_ops.push_back(
          {GradOpKind::kClearAll, id, kNoKey, Strength::kStrong, sema::kNoFunction});
  }
  if (name != "step" || call.argc == 0 || !receiver.Is(Kind::kUnknown)) return {};
  const Argument& a = body_.Arguments(call)[0];  // scaler.step(optimizer)
  const Value optimizer = Of(a.value);
  const SlotId slot = body_[a.value].op == Op::kLoad ? SlotId{body_[a.value].aux} : kNoSlot;
  if (!optimizer.Is(Kind::kOptimizer) && (slot == kNoSlot || !LooksLikeOptimizer(SlotName(slot))))
    return {};
  if (recording_)
    r_.grad_ops.push_back(
        {GradOpKind::kStep, id, GradKey(optimizer, slot), Strength::kMedium, sema::kNoFunction});
  return Value::Unknown();
}

std::optional<Value> FunctionAnalysis::ContainerMethod(ValueId id, const Call& call,
                                                       const Value& receiver) {
  static constexpr std::array<std::string_view, 5> kContainers{
      "builtins.list", "builtins.dict", "collections.deque", "builtins.set", "builtins.tuple"};
  std::string_view name = NameText(call.method);
  const bool certain = receiver.Is(Kind::kContainer);
  const bool maybe =
      receiver.Is(Kind::kNone) ||
      (receiver.objects != 0 && (receiver.Is(Kind::kUnknown) || receiver.Is(Kind::kTensor)));
  if (!certain && !(maybe && TellsContainer(name))) return {};
  for (std::string_view c : kContainers) {
    if (const Fact* f = facts::FindMethod(c, name)) return ApplyFact(id, call, *f, &receiver);
  }
  // detach(), item(): no container has these, so that the value is a tensor on this path:
  // `return (loss, out) if both else loss`.
  const Fact* f = certain ? facts::FindMethod("torch.Tensor", name) : nullptr;
  if (f == nullptr || f->graph != facts::Graph::kDrops || f->name.ends_with("__getattr__"))
    return {};
  Value tensor = Value::Of(Kind::kTensor, receiver.strength);
  return ApplyFact(id, call, *f, &tensor);
}

std::optional<Value> FunctionAnalysis::KindMethod(ValueId id, const Call& call,
                                                  const Value& receiver) {
  std::string_view name = NameText(call.method);
  std::string_view class_name = ClassOfKind(receiver);
  if (receiver.Is(Kind::kInstance)) {
    sema::ClassId cls{receiver.ref};
    for (const std::string& base : world_.module()[cls].external_bases) {
      if (const Fact* f = facts::FindMethod(facts::ClassByName(base), name))
        return ApplyFact(id, call, *f, &receiver);
    }
    if (world_.IsModuleClass(cls)) class_name = "torch.nn.Module";
  }
  if (class_name.empty()) return {};
  // A wildcard fact says nothing of a submodule that is called like a method.
  const Fact* f = facts::FindMethod(class_name, name);
  if ((receiver.Is(Kind::kModule) || receiver.Is(Kind::kEngine)) &&
      (f == nullptr || f->name.ends_with("__getattr__"))) {
    if (const Fact* of_module = facts::FindMethod("torch.nn.Module", name)) f = of_module;
  }
  if (f == nullptr || (call.callee != kNoValue && f->name.ends_with("__getattr__"))) return {};
  return ApplyFact(id, call, *f, &receiver);
}

// self.model(x), self.criterion(a, b), self.fn(x): an attribute that is called.
std::optional<Value> FunctionAnalysis::CalledAttribute(ValueId id, const Call& call,
                                                       const Value& receiver) {
  if (call.callee != kNoValue) {
    const Value callee = Of(call.callee);
    switch (callee.kind) {
      case Kind::kModule:
      case Kind::kEngine:  // DeepSpeed's is called like the module that it wraps
        return RunModule(id, call, callee, call.callee_slot);
      case Kind::kFunction:
        if (callee.ref == kNoRef) return UnknownCall(id, call, nullptr);
        return ApplySummary(id, call, sema::FunctionId{callee.ref}, &receiver, true);
      case Kind::kClass:
        return MakeInstance(id, call, sema::ClassId{callee.ref});
      case Kind::kInstance: {
        sema::FunctionId f =
            world_.module().FindMethod(sema::ClassId{callee.ref}, std::string_view("__call__"));
        if (f != sema::kNoFunction) return ApplySummary(id, call, f, &callee, true);
        break;
      }
      default:
        break;
    }
  }
  if (!receiver.Is(Kind::kTensor)) return {};
  Value v = receiver;  // a method of tensors that no stub knows
  v.origins |= ArgumentOrigins(call, -1);
  v.objects = 0;
  v.flags = 0;
  return v;
}

// A method that says what its unknown receiver is: zero_grad, unsqueeze, eval, remove.
std::optional<Value> FunctionAnalysis::TellingMethod(ValueId id, const Call& call,
                                                     const Value& receiver) {
  if (!receiver.Is(Kind::kUnknown)) return {};
  std::string_view name = NameText(call.method);
  const std::uint16_t says = facts::EvidenceOfMethod(name);
  const bool module = says & facts::kIsModule;
  if (module && !(says & (facts::kIsTensor | facts::kIsOptimizer)) &&
      call.receiver_slot != kNoSlot) {
    Value& held = state_->slots[Index(call.receiver_slot)];  // known from here on
    if (held.Is(Kind::kUnknown)) {
      held.kind = Kind::kModule;
      held.strength = Strength::kStrong;
    }
  }
  const std::array<std::pair<bool, std::string_view>, 4> kinds{{
      {(says & facts::kIsTensor) != 0 && !module, "torch.Tensor"},
      {module, "torch.nn.Module"},
      {(says & facts::kIsOptimizer) != 0 || (name == "step" && call.argc == 0),
       "torch.optim.Optimizer"},
      {name == "remove" && call.argc == 0, "torch.utils.hooks.RemovableHandle"},
  }};
  for (const auto& [fits, class_name] : kinds) {
    const Fact* f = fits ? facts::FindMethod(class_name, name) : nullptr;
    if (f != nullptr) return ApplyFact(id, call, *f, &receiver);
  }
  return MaybeTensorMethod(id, call, receiver);
}

// The receiver may be a tensor: then so may be what its method returns.
std::optional<Value> FunctionAnalysis::MaybeTensorMethod(ValueId id, const Call& call,
                                                         const Value& receiver) {
  std::string_view name = NameText(call.method);
  if (name == "rsample") {
    Origins origins = receiver.origins;
    if (state_->mode != GradMode::kOff)
      origins.set(MakeGraph(id, OriginKind::kCall, Strength::kMedium));
    return Tensor(id, origins, Strength::kMedium);
  }
  const Fact* f = facts::FindMethod("torch.Tensor", name);
  if (f == nullptr || f->name.ends_with("__getattr__")) return {};
  const bool moves = name == "to" || name == "cuda" || name == "cpu";
  const bool tensor = (EvidenceOf(id) | EvidenceOf(call.receiver)) & facts::kIsTensor;
  if (moves && (EvidenceOf(id) & facts::kIsModule))
    return Value::Of(Kind::kModule);  // build().to(device); model.eval()
  if (!moves && receiver.origins.none()) return {};
  if (!moves && f->graph == facts::Graph::kDrops) return ApplyFact(id, call, *f, &receiver);
  if (!moves && (f->graph != facts::Graph::kKeeps || f->result != facts::Result::kTensor))
    return {};
  Value v = FactResult(id, call, *f, &receiver);
  if (!tensor) v.kind = Kind::kUnknown;
  return v;
}

void FunctionAnalysis::AddHook(ValueId id, const Call& call, const Value& receiver) {
  unsigned origin = OriginFor(id, OriginKind::kHandle);
  Value handle = Value::Of(Kind::kHandle);
  handle.origins.set(origin);
  r_.values[Index(id)] = handle;
  if (!recording_) return;
  HookAdded h;
  h.value = id;
  h.node = call.node;
  h.origin = origin;
  h.target_slot = call.receiver_slot;
  h.target_objects = receiver.objects;
  h.on_tensor = NameText(call.method) == "register_hook";
  h.target_is_param = receiver.Has(kBareParam) || receiver.objects != 0 ||
                      receiver.Is(Kind::kParameters);  // of a module, as long-lived as it is
  // A tensor made in this call dies with it, and its hooks with it.
  h.target_is_local =
      h.on_tensor && (receiver.origins & r_.graph_mask).any() && !receiver.Has(kBareParam);
  if (call.receiver_slot != kNoSlot) {
    const Slot& s = body_.slots[Index(call.receiver_slot)];
    if (s.is_local && s.depth == 0 && !world_.module()[s.root].is_param &&
        receiver.Is(Kind::kModule) && receiver.ref != kNoRef && receiver.objects == 0) {
      h.target_is_local = body_.LoopOf(id) == kNoLoop;
    }
  }
  if (call.argc > 0) h.functions = world_.FunctionsOf(body_, body_.Arguments(call)[0].value);
  r_.hooks.push_back(h);
}

}  // namespace torchleak::flow
