// Calls. In order: a fact about the qualified name, a method by the receiver's kind, a function or class
// of this file, a module that runs, and at last evidence: what becomes of the result.
#include <algorithm>
#include <bit>

#include "flow/analysis.h"
#include "flow/names.h"

namespace torchleak::flow {

using facts::Fact;

Value FunctionAnalysis::ArgumentValue(const Call& call, unsigned index) const {
  unsigned position = 0;
  for (const Argument& a : body_.Arguments(call)) {
    if (a.keyword != sema::kNoName || a.stars == 2) continue;
    if (position++ == index) return Of(a.value);
  }
  return {};
}

const Argument* FunctionAnalysis::Keyword(const Call& call, std::string_view name) const {
  for (const Argument& a : body_.Arguments(call)) {
    if (a.keyword != sema::kNoName && NameText(a.keyword) == name) return &a;
  }
  return nullptr;
}

SlotId FunctionAnalysis::BaseSlot(const Call& call) const {
  const Call* at = &call;
  for (int i = 0; i < 8 && at->receiver_slot == kNoSlot && at->receiver != kNoValue; ++i) {
    const Instr& in = body_[at->receiver];
    if (in.op != Op::kCall) return kNoSlot;
    at = &body_.calls[in.aux];
  }
  return at->receiver_slot;
}

bool FunctionAnalysis::IsTrue(const Argument* a) const { return a != nullptr && Of(a->value).Has(kIsTrue); }
bool FunctionAnalysis::IsFalse(const Argument* a) const { return a != nullptr && Of(a->value).Has(kIsFalse); }

Origins FunctionAnalysis::ArgumentOrigins(const Call& call, int skip) const {
  Origins out;
  int position = 0;
  for (const Argument& a : body_.Arguments(call)) {
    const bool positional = a.keyword == sema::kNoName;
    if (positional && position++ == skip) continue;
    if (!positional && skip >= 0) {
      std::string_view k = NameText(a.keyword);
      if (k == "target" || k == "labels" || k == "weight") continue;
    }
    out |= Deep(Of(a.value)).origins;
  }
  return out;
}

Value FunctionAnalysis::CallOf(ValueId id, const Call& call) {
  if (call.fact != nullptr) return ApplyFact(id, call, *call.fact, nullptr);
  if (call.qualified) {
    if (call.of_torch && state_->mode != GradMode::kOff) {
      return Tensor(id, ArgumentOrigins(call, -1), Strength::kMedium);
    }
    return UnknownCall(id, call, nullptr);
  }
  if (call.is_super) {
    World::Target t = world_.Resolve(body_, call);
    if (t.function != sema::kNoFunction) {
      Value self = Value::Of(Kind::kInstance);
      self.ref = Index(world_.module()[body_.function].class_id);
      self.flags = kSelfObject;
      if (!body_.slots.empty()) self.objects = Bit(EntryObject(SlotId{0}));
      return ApplySummary(id, call, t.function, &self, t.bound);
    }
    return UnknownCall(id, call, nullptr);
  }
  if (call.receiver != kNoValue) return MethodCall(id, call, Of(call.receiver));
  if (call.callee == kNoValue) return UnknownCall(id, call, nullptr);
  const Value callee = Of(call.callee);
  switch (callee.kind) {
    case Kind::kFunction: return ApplySummary(id, call, sema::FunctionId{callee.ref}, nullptr, false);
    case Kind::kClass: return MakeInstance(id, call, sema::ClassId{callee.ref});
    case Kind::kModule: return RunModule(id, call, callee, call.callee_slot);
    case Kind::kInstance: {
      sema::FunctionId f = world_.module().FindMethod(sema::ClassId{callee.ref}, std::string_view("__call__"));
      if (f != sema::kNoFunction) return ApplySummary(id, call, f, &callee, true);
      if (world_.IsModuleClass(sema::ClassId{callee.ref})) {  // self(x)
        Value self = callee;
        self.kind = Kind::kModule;
        return RunModule(id, call, self, call.callee_slot);
      }
      return UnknownCall(id, call, nullptr);
    }
    default: return UnknownCall(id, call, nullptr);
  }
}

Value FunctionAnalysis::MethodCall(ValueId id, const Call& call, const Value& receiver) {
  const sema::Module& m = world_.module();
  std::string_view name = NameText(call.method);
  if (IsTorchHook(name) && call.argc > 0 &&
      !(receiver.Is(Kind::kInstance) && m.FindMethod(sema::ClassId{receiver.ref}, call.method) != sema::kNoFunction) &&
      (name != "register_hook" || receiver.Is(Kind::kTensor) || (EvidenceOf(call.receiver) & facts::kIsTensor) ||
       receiver.origins.any())) {
    AddHook(id, call, receiver);
    return Of(id).Reached() ? Of(id) : Value::Of(Kind::kHandle);
  }
  World::Target t = world_.Resolve(body_, call);
  if (t.function == sema::kNoFunction && receiver.ref != kNoRef && receiver.ref < 0x80000000u &&
      (receiver.Is(Kind::kInstance) || receiver.Is(Kind::kModule))) {
    t.function = m.FindMethod(sema::ClassId{receiver.ref}, call.method);
    t.bound = t.function != sema::kNoFunction && !m[t.function].is_static;
  }
  if (t.function != sema::kNoFunction) {
    const bool module_forward = receiver.Is(Kind::kModule) && name == "forward";
    if (!module_forward) return ApplySummary(id, call, t.function, &receiver, t.bound);
  }
  if (name == "backward") {
    const bool engine = call.argc > 0 && !receiver.Is(Kind::kTensor) && call.receiver_slot != kNoSlot &&
                        LooksLikeEngine(SlotName(call.receiver_slot));
    Value what = engine || receiver.Is(Kind::kEngine) ? ArgumentValue(call, 0) : receiver;
    Differentiate(id, call, what, false);
    return Value::Of(Kind::kNone);
  }
  if (name == "zero_" && call.receiver_slot != kNoSlot && recording_) {  // p.grad.zero_(), p.grad.data.zero_()
    const Slot& s = body_.slots[Index(call.receiver_slot)];
    const bool grad = NameText(s.attribute) == "grad" ||
                      (s.parent != kNoSlot && NameText(body_.slots[Index(s.parent)].attribute) == "grad");
    if (grad) r_.grad_ops.push_back({GradOpKind::kClearAll, id, kNoKey, Strength::kStrong, sema::kNoFunction});
  }
  if (name == "step" && call.argc > 0 && receiver.Is(Kind::kUnknown)) {  // scaler.step(optimizer)
    const Argument& a = body_.Arguments(call)[0];
    const Value optimizer = Of(a.value);
    const SlotId slot = body_[a.value].op == Op::kLoad ? SlotId{body_[a.value].aux} : kNoSlot;
    if (optimizer.Is(Kind::kOptimizer) || (slot != kNoSlot && LooksLikeOptimizer(SlotName(slot)))) {
      std::uint32_t key = optimizer.objects != 0 ? static_cast<std::uint32_t>(std::countr_zero(optimizer.objects))
                          : slot != kNoSlot      ? kSlotKey + Index(slot)
                                                 : kNoKey;
      if (recording_) r_.grad_ops.push_back({GradOpKind::kStep, id, key, Strength::kMedium, sema::kNoFunction});
      return Value::Unknown();
    }
  }
  if (name == "manual_backward") {
    Differentiate(id, call, ArgumentValue(call, 0), false);
    return Value::Of(Kind::kNone);
  }
  if ((name == "scale" || name == "scale_loss") && call.argc > 0) {
    Value v = ArgumentValue(call, 0);
    if (v.Reached() && (v.Is(Kind::kTensor) || (EvidenceOf(id) & facts::kIsDifferentiated))) return v;
  }
  const bool container = receiver.Is(Kind::kContainer) || receiver.Is(Kind::kNone) ||
                         (receiver.objects != 0 && (receiver.Is(Kind::kUnknown) || receiver.Is(Kind::kTensor)));
  if (container) {
    static constexpr std::array<std::string_view, 5> kContainers{"builtins.list", "builtins.dict", "collections.deque",
                                                                 "builtins.set", "builtins.tuple"};
    const bool certain = receiver.Is(Kind::kContainer);
    const bool telling = name == "append" || name == "extend" || name == "appendleft" || name == "insert" || name == "clear" ||
                         name == "items" || name == "values" || name == "keys" || name == "setdefault" ||
                         name == "popleft";
    for (std::string_view c : kContainers) {
      if (!certain && !telling) break;
      if (const Fact* f = facts::FindMethod(c, name)) return ApplyFact(id, call, *f, &receiver);
    }
  }
  std::string_view class_name;
  switch (receiver.kind) {
    case Kind::kTensor: class_name = "torch.Tensor"; break;
    case Kind::kModule:
      class_name = "torch.nn.Module";
      if (receiver.ref != kNoRef && receiver.ref >= 0x80000000u) class_name = facts::All()[receiver.ref & 0x7FFFFFFFu].name;
      break;
    case Kind::kOptimizer: class_name = "torch.optim.Optimizer"; break;
    case Kind::kScheduler: class_name = "torch.optim.lr_scheduler.LRScheduler"; break;
    case Kind::kScaler: class_name = "torch.amp.GradScaler"; break;
    case Kind::kHandle: class_name = "torch.utils.hooks.RemovableHandle"; break;
    case Kind::kWriter: class_name = "torch.utils.tensorboard.SummaryWriter"; break;
    case Kind::kDistribution: class_name = "torch.distributions.Distribution"; break;
    case Kind::kLoader: class_name = "torch.utils.data.DataLoader"; break;
    case Kind::kEngine: class_name = "accelerate.Accelerator"; break;
    default: break;
  }
  if (receiver.Is(Kind::kInstance)) {
    sema::ClassId cls{receiver.ref};
    if (world_.IsLightning(cls)) {
      if (const Fact* f = facts::FindMethod("lightning.pytorch.LightningModule", name)) return ApplyFact(id, call, *f, &receiver);
    }
    if (world_.IsModuleClass(cls)) class_name = "torch.nn.Module";
    for (const std::string& b : m[cls].external_bases) {
      if (const Fact* f = facts::FindMethod(b, name)) return ApplyFact(id, call, *f, &receiver);
    }
    static constexpr std::array<std::string_view, 2> kDicts{"dict", "list"};
    for (std::string_view d : kDicts) {
      if (!m.DerivesFrom(cls, std::span(&d, 1))) continue;
      if (const Fact* f = facts::FindMethod(std::string("builtins.") + std::string(d), name)) return ApplyFact(id, call, *f, &receiver);
    }
  }
  if (!class_name.empty()) {
    // A wildcard fact says nothing of a submodule that is called like a method.
    const Fact* f = facts::FindMethod(class_name, name);
    if (receiver.Is(Kind::kModule) && (f == nullptr || f->name.ends_with("__getattr__"))) {
      if (const Fact* of_module = facts::FindMethod("torch.nn.Module", name)) f = of_module;
    }
    if (f != nullptr && (call.callee == kNoValue || !f->name.ends_with("__getattr__"))) return ApplyFact(id, call, *f, &receiver);
  }
  if (call.callee != kNoValue) {  // self.model(x), self.criterion(a, b), self.fn(x)
    const Value callee = Of(call.callee);
    if (callee.Is(Kind::kModule)) return RunModule(id, call, callee, call.callee_slot);
    if (callee.Is(Kind::kFunction)) return ApplySummary(id, call, sema::FunctionId{callee.ref}, &receiver, true);
    if (callee.Is(Kind::kClass)) return MakeInstance(id, call, sema::ClassId{callee.ref});
    if (callee.Is(Kind::kInstance)) {
      sema::FunctionId f = m.FindMethod(sema::ClassId{callee.ref}, std::string_view("__call__"));
      if (f != sema::kNoFunction) return ApplySummary(id, call, f, &callee, true);
    }
  }
  if (!class_name.empty()) {
    if (receiver.Is(Kind::kTensor)) {
      Value v = receiver;
      v.origins |= ArgumentOrigins(call, -1);
      v.objects = 0;
      v.flags = 0;
      return v;
    }
  }
  if (receiver.Is(Kind::kUnknown)) {
    // A method that says what its receiver is: zero_grad, unsqueeze, eval, …
    std::uint16_t of_name = facts::EvidenceOfMethod(name);
    const bool module = of_name & facts::kIsModule;
    static constexpr std::array<std::string_view, 4> kKinds{"torch.Tensor", "torch.nn.Module", "torch.optim.Optimizer",
                                                            "torch.utils.hooks.RemovableHandle"};
    const bool fits[4] = {(of_name & facts::kIsTensor) != 0 && !module, module,
                          (of_name & facts::kIsOptimizer) != 0 || (name == "step" && call.argc == 0), name == "remove" && call.argc == 0};
    if (module && !(of_name & (facts::kIsTensor | facts::kIsOptimizer)) && call.receiver_slot != kNoSlot) {
      Value& held = state_->slots[Index(call.receiver_slot)];  // known from here on
      if (held.Is(Kind::kUnknown)) {
        held.kind = Kind::kModule;
        held.strength = Strength::kStrong;
      }
    }
    for (int i = 0; i < 4; ++i) {
      if (!fits[i]) continue;
      if (const Fact* f = facts::FindMethod(kKinds[static_cast<std::size_t>(i)], name)) {
        return ApplyFact(id, call, *f, &receiver);
      }
    }
    if (name == "rsample") {
      unsigned origin = OriginFor(id, OriginKind::kCall);
      Origin& o = r_.origins[origin];
      o.makes_graph = state_->mode != GradMode::kOff;
      o.strength = Strength::kMedium;
      o.mode = state_->mode;
      if (o.makes_graph) r_.graph_mask.set(origin);
      Origins origins = receiver.origins;
      origins.set(origin);
      return Tensor(id, origins, Strength::kMedium);
    }
    if (const Fact* f = facts::FindMethod("torch.Tensor", name); f != nullptr && receiver.origins.any() &&
                                                                (f->graph == facts::Graph::kDrops)) {
      return ApplyFact(id, call, *f, &receiver);
    }
    if (const Fact* f = facts::FindMethod("torch.Tensor", name);
        f != nullptr && receiver.origins.any() && f->graph == facts::Graph::kKeeps && f->result == facts::Result::kTensor &&
        !f->name.ends_with("__getattr__") && name != "to" && name != "cuda" && name != "cpu") {
      Value v = FactResult(id, call, *f, &receiver);  // v.clone() of a value that may be a tensor may be one
      if (!(EvidenceOf(id) & facts::kIsTensor)) v.kind = Kind::kUnknown;
      return v;
    }
    if (const Fact* f = facts::FindMethod("torch.Tensor", name);
        f != nullptr && (name == "to" || name == "cuda" || name == "cpu")) {
      Value v = FactResult(id, call, *f, &receiver);
      const std::uint16_t bits = EvidenceOf(id);
      if (bits & facts::kIsModule) return Value::Of(Kind::kModule);  // model = build().to(device); model.eval()
      if (!(bits & facts::kIsTensor) && !(EvidenceOf(call.receiver) & facts::kIsTensor)) v.kind = Kind::kUnknown;
      return v;
    }
  }
  return UnknownCall(id, call, &receiver);
}

Value FunctionAnalysis::MakeInstance(ValueId id, const Call& call, sema::ClassId cls) {
  const bool module = world_.IsModuleClass(cls);
  Value v = Value::Of(module ? Kind::kModule : Kind::kInstance);
  v.ref = Index(cls);
  if (!module) {
    unsigned object = ObjectFor(id, ObjectKind::kInstance);
    if (object < r_.objects.size()) r_.objects[object].class_id = cls;
    v.objects = Bit(object);
    if (recording_) r_.grad_ops.push_back({GradOpKind::kClear, id, object, Strength::kStrong, sema::kNoFunction});
  }
  for (const std::string& b : world_.module()[cls].external_bases) {
    if (b == "torch.optim.Optimizer" || facts::IsSubclass(b, "torch.optim.Optimizer")) v.kind = Kind::kOptimizer;
  }
  sema::FunctionId init = world_.module().FindMethod(cls, std::string_view("__init__"));
  if (init != sema::kNoFunction) ApplySummary(id, call, init, &v, true);
  return v;
}

// A module runs: its output carries a graph while grad is on.
Value FunctionAnalysis::RunModule(ValueId id, const Call& call, const Value& module, SlotId slot) {
  const bool known_class = module.ref != kNoRef;
  if (call.argc == 0 && !known_class && (EvidenceOf(id) & (facts::kIsTensor | facts::kIsDifferentiated)) == 0) {
    return UnknownCall(id, call, nullptr);  // no input: more likely a method or a factory
  }
  Origins inputs = ArgumentOrigins(call, -1);
  Strength strength = module.strength;
  const std::uint16_t bits = EvidenceOf(id);
  if (bits & facts::kIsDifferentiated) strength = Strength::kStrong;
  Value out = Value::Of(Kind::kTensor, strength);
  out.size = Size::kUnknown;
  bool device = module.residency == Residency::kDevice;
  bool evidence = (bits & facts::kIsTensor) != 0;
  for (const Argument& a : body_.Arguments(call)) {
    device |= Of(a.value).residency == Residency::kDevice;
    evidence |= Of(a.value).Is(Kind::kTensor);
    const Instr& arg = body_[a.value];
    if (arg.op == Op::kLoad || arg.op == Op::kUnpack) {
      LoopId l = body_.LoopOf(id);
      for (; l != kNoLoop; l = body_.loops[Index(l)].parent) {
        syntax::NodeId n = body_.loops[Index(l)].iterable;
        if (n == syntax::kNoNode) continue;
        std::string_view text = world_.module().tree().Text(n);
        if (text.size() < 100 && LooksLikeLoader(text)) evidence = true;
      }
    }
  }
  if (device) out.residency = Residency::kDevice;
  if (strength == Strength::kWeak && (evidence || device)) strength = Strength::kMedium;
  out.strength = strength;
  const facts::Fact* loss = nullptr;
  if (module.ref != kNoRef && module.ref >= 0x80000000u) {
    loss = facts::Find(std::string(facts::All()[module.ref & 0x7FFFFFFFu].name) + ".__call__");
  }
  if (loss != nullptr && loss->size == facts::Size::kScalar) {  // a loss has no weights of its own
    out.size = Size::kScalar;
    out.origins = state_->mode == GradMode::kOff ? Origins{} : ArgumentOrigins(call, TargetOf(call, *loss));
    out.strength = Strength::kStrong;
    return out;
  }
  if (loss != nullptr && loss->graph == facts::Graph::kKeeps) {  // no weights: ReLU, CosineSimilarity, Dropout
    if (state_->mode != GradMode::kOff) out.origins = inputs;
    return out;
  }
  if (bits & facts::kIsDifferentiated && !(bits & (kThroughElement | kThroughUnknown))) out.size = Size::kScalar;
  bool differentiates = false;
  // A forward that turns grad off by itself makes no graph.
  if (module.ref != kNoRef && module.ref < 0x80000000u) {
    sema::FunctionId forward = world_.module().FindMethod(sema::ClassId{module.ref}, std::string_view("forward"));
    if (forward != sema::kNoFunction) {
      if (world_.DecoratedMode(forward) == GradMode::kOff) return out;
      differentiates = world_.result(forward).differentiated.any();  // forces, penalties: it needs grad itself
      const Summary& s = world_.result(forward).summary;
      if (s.ready && s.ret.Is(Kind::kContainer)) out.kind = Kind::kContainer;
    }
  }
  if (state_->mode == GradMode::kOff) return out;
  out.origins = inputs;
  if (module.Has(kFrozen) || (known_class && module.ref < 0x80000000u && world_.IsFrozenClass(sema::ClassId{module.ref}))) return out;
  unsigned origin = OriginFor(id, OriginKind::kModuleCall);
  Origin& o = r_.origins[origin];
  if (o.kind == OriginKind::kModuleCall) {
    o.makes_graph = true;
    o.mode = state_->mode;
    o.strength = strength;
    o.in_eval = module.Has(kInEvalMode);
    o.scalar = out.size == Size::kScalar;
    if (slot != kNoSlot && body_.slots[Index(slot)].depth == 0) o.ref = Index(body_.slots[Index(slot)].root);
    r_.graph_mask.set(origin);
  }
  out.strength = strength;
  out.origins.set(origin);
  const Summary* forward_summary = nullptr;
  if (known_class && module.ref < 0x80000000u) {
    sema::FunctionId forward = world_.module().FindMethod(sema::ClassId{module.ref}, std::string_view("forward"));
    if (forward != sema::kNoFunction && world_.result(forward).summary.ready) forward_summary = &world_.result(forward).summary;
  }
  if (recording_ && !differentiates) {
    Forward f;
    f.value = id;
    f.node = call.node;
    f.origin = origin;
    f.module_slot = slot;
    f.strength = strength;
    f.mode = state_->mode;
    f.in_eval = module.Has(kInEvalMode);
    f.over_held_out = OverHeldOut(body_.LoopOf(id));
    r_.forwards.push_back(f);
  }
  return forward_summary == nullptr ? out : Parts(id, *forward_summary, out);
}

// out, ratio = net(x): a tuple whose numbers stay numbers.
Value FunctionAnalysis::Parts(ValueId id, const Summary& forward, const Value& whole) {
  std::vector<Value> parts;
  for (const auto& [key, field] : forward.ret_fields) {
    if (key != parts.size()) return whole;
    const bool plain = field.Is(Kind::kNumber) || field.Is(Kind::kNone);
    parts.push_back(plain ? field : whole);
    if (plain) parts.back().origins.reset();
  }
  return parts.empty() ? whole : Tuple(id, parts);
}

// Nobody knows the callee: what becomes of the result says whether a graph was made.
Value FunctionAnalysis::UnknownCall(ValueId id, const Call& call, const Value* receiver) {
  const std::uint16_t bits = EvidenceOf(id);
  std::string_view name = call.callee_slot != kNoSlot ? SlotName(call.callee_slot) : NameText(call.method);
  Origins origins = ArgumentOrigins(call, -1);
  if (receiver != nullptr) origins |= Deep(*receiver).origins;
  Value out = Value::Unknown();
  std::string_view callee = call.method != sema::kNoName || call.callee_slot == kNoSlot ? NameText(call.method) : name;
  if (call.qualified) callee = CalleeText(call);
  if (!callee.empty() && callee[0] >= 'A' && callee[0] <= 'Z' && callee.size() > 2) {  // an object is made
    out = world_.FromEvidence(static_cast<std::uint16_t>(bits & ~facts::kIsTensor), {});
    out.objects = Bit(ObjectFor(id, ObjectKind::kAllocation));
    if (recording_) r_.escaped |= origins;
    return out;
  }
  const bool weightless = (bits & kIsWeightless) && !LooksLikeLoss(name) && (origins & r_.graph_mask).none();
  const bool differentiated = (bits & facts::kIsDifferentiated) && !weightless;
  const bool tensor = bits & facts::kIsTensor;
  Value guess = world_.FromEvidence(bits, {});
  if (!differentiated && !guess.Is(Kind::kUnknown) && !guess.Is(Kind::kTensor)) {
    guess.objects = Bit(ObjectFor(id, ObjectKind::kAllocation));
    if (recording_) r_.escaped |= origins;
    return guess;
  }
  for (const Argument& a : body_.Arguments(call)) {
    if (Of(a.value).residency == Residency::kDevice) out.residency = Residency::kDevice;
  }
  const bool loss_name = LooksLikeLoss(name);
  const bool of_module = receiver != nullptr && receiver->Is(Kind::kModule);
  const bool number_name = name == "len" || name == "size" || name == "item" || name == "get" || name == "next";
  if (state_->mode != GradMode::kOff && (differentiated || (tensor && of_module)) && !number_name) {
    unsigned origin = OriginFor(id, OriginKind::kCall);
    Origin& o = r_.origins[origin];
    if (o.kind == OriginKind::kCall) {
      o.makes_graph = true;
      o.mode = state_->mode;
      o.strength = differentiated && !(bits & kThroughUnknown) ? Strength::kStrong : Strength::kMedium;
      r_.graph_mask.set(origin);
    }
    out.kind = Kind::kTensor;
    out.strength = o.strength;
    out.origins = origins;
    out.origins.set(origin);
    if (!(bits & (kThroughElement | kThroughUnknown)) || loss_name) out.size = Size::kScalar;
    return out;
  }
  // criterion(out, y) keeps the graph of `out`; loss_scaler(loss, optimizer) does something else.
  const syntax::Tree& tree = world_.module().tree();
  syntax::NodeId parent = tree.Parent(call.node);
  bool is_loss = loss_name && (parent == syntax::kNoNode || tree.kind(parent) != syntax::Kind::kExpressionStatement);
  for (const Argument& a : body_.Arguments(call)) is_loss &= !Of(a.value).Is(Kind::kOptimizer);
  if (is_loss && (origins & r_.graph_mask).any()) {
    out.kind = Kind::kTensor;
    out.strength = Strength::kMedium;
    out.size = Size::kScalar;
    if (state_->mode != GradMode::kOff) out.origins = origins;
    return out;
  }
  out.kind = tensor && !(bits & kThroughElement) ? Kind::kTensor : Kind::kUnknown;
  if (out.Is(Kind::kTensor)) out.strength = Strength::kWeak;
  if (state_->mode != GradMode::kOff) out.origins = origins;
  if (recording_) r_.escaped |= origins;
  // An unknown callee may keep or clear what it is handed.
  for (const Argument& a : body_.Arguments(call)) {
    const Value& v = Of(a.value);
    const bool telling = name.find("lr") != name.npos || name.find("learning") != name.npos || name.find("sched") != name.npos;
    if (!recording_ || !v.Is(Kind::kOptimizer) || telling) continue;
    std::uint32_t key = v.objects != 0 ? static_cast<std::uint32_t>(std::countr_zero(v.objects)) : kNoKey;
    if (key != kNoKey) r_.grad_ops.push_back({GradOpKind::kMayClear, id, key, Strength::kWeak, sema::kNoFunction});
  }
  if (recording_ && receiver != nullptr && (name.find("zero") != name.npos || name.find("clear_grad") != name.npos)) {
    r_.grad_ops.push_back({GradOpKind::kMayClearAll, id, kNoKey, Strength::kWeak, sema::kNoFunction});
  }
  out.objects = Bit(ObjectFor(id, ObjectKind::kAllocation));
  if (out.Is(Kind::kUnknown)) out.origins &= r_.graph_mask;  // an unknown result is not a parameter
  return out;
}

void FunctionAnalysis::Differentiate(ValueId id, const Call& call, const Value& what, bool through_grad) {
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
  b.retains = (retain != nullptr && !IsFalse(retain)) || (create != nullptr && !IsFalse(create) && !IsFalse(retain));
  if (retain == nullptr && create == nullptr && !through_grad && call.argc >= 2 && ArgumentValue(call, 1).Has(kIsTrue)) {
    b.retains = true;
  }
  r_.differentiated |= b.origins;
  if (!b.retains) r_.freed |= b.origins;
  r_.backwards.push_back(b);
  if (!through_grad) r_.grad_ops.push_back({GradOpKind::kBackward, id, kNoKey, Strength::kStrong, sema::kNoFunction});
}

std::string_view FunctionAnalysis::CalleeText(const Call& call) const {
  const syntax::Tree& tree = world_.module().tree();
  syntax::NodeId function = tree.Child(call.node, syntax::Field::kFunction);
  if (function == syntax::kNoNode) return {};
  std::string_view text = tree.Text(function);
  return text.substr(text.rfind('.') + 1);
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
  h.target_is_param = receiver.Has(kBareParam) || receiver.objects != 0;
  // A tensor made in this call dies with it, and its hooks with it.
  h.target_is_local = h.on_tensor && (receiver.origins & r_.graph_mask).any() && !receiver.Has(kBareParam);
  if (call.receiver_slot != kNoSlot) {
    const Slot& s = body_.slots[Index(call.receiver_slot)];
    if (s.is_local && s.depth == 0 && !world_.module()[s.root].is_param && receiver.Is(Kind::kModule) &&
        receiver.ref != kNoRef && receiver.objects == 0) {
      h.target_is_local = body_.LoopOf(id) == kNoLoop;
    }
  }
  if (call.argc > 0) h.functions = world_.FunctionsOf(body_, body_.Arguments(call)[0].value);
  r_.hooks.push_back(h);
}

// A loss's target wants no gradient, but people swap the arguments, and compare two outputs of one module.
int FunctionAnalysis::TargetOf(const Call& call, const Fact& fact) const {
  if (fact.target < 0) return fact.target;
  const Origins first = Deep(ArgumentValue(call, 0)).origins & r_.graph_mask;
  if (first.none()) return Fact::kNoTarget;
  const Origins target = Deep(ArgumentValue(call, static_cast<unsigned>(fact.target))).origins & r_.graph_mask;
  for (std::size_t i = 0; i < r_.origins.size(); ++i) {
    for (std::size_t j = 0; j < r_.origins.size() && target.test(i); ++j) {
      if (first.test(j) && r_.origins[i].ref == r_.origins[j].ref && r_.origins[i].kind == r_.origins[j].kind) return Fact::kNoTarget;
    }
  }
  return fact.target;
}

Value FunctionAnalysis::ApplyFact(ValueId id, const Call& call, const Fact& fact, const Value* receiver) {
  FactEffects(id, call, fact, receiver);
  return FactResult(id, call, fact, receiver);
}

Value FunctionAnalysis::SubjectOf(const Call& call, const Fact& fact) const {
  Value v = ArgumentValue(call, static_cast<unsigned>(fact.subject));
  for (std::string_view name : {"outputs", "tensors", "loss", "optimizer"}) {
    if (const Argument* a = v.Reached() ? nullptr : Keyword(call, name)) v = Of(a->value);
  }
  return v;
}

void FunctionAnalysis::FactEffects(ValueId id, const Call& call, const Fact& fact, const Value* receiver) {
  using namespace facts;
  const Value subject = fact.subject == Fact::kReceiver ? (receiver != nullptr ? *receiver : Value{})
                                                        : SubjectOf(call, fact);
  if (fact.effects & kBackward) Differentiate(id, call, subject, false);
  if (fact.effects & kGradOfInputs) Differentiate(id, call, subject, true);
  if ((fact.effects & kWantsGrad) && recording_) {
    const Instr* on = call.receiver == kNoValue ? nullptr : &body_[call.receiver];
    bool off = ArgumentValue(call, 0).Has(kIsFalse);
    if (receiver != nullptr && !receiver->Is(Kind::kModule) && !off && on != nullptr) r_.wants_input_grad = true;
  }
  const SlotId base = BaseSlot(call);
  auto mark = [&](ValueFlag flag, bool set) {
    if (base == kNoSlot) return;
    Value& slot = state_->slots[Index(base)];
    if (!slot.Reached()) slot = *receiver;
    slot.flags = static_cast<std::uint8_t>(set ? slot.flags | flag : slot.flags & ~flag);
    if (recording_ && flag == kInEvalMode) r_.mode_ops.emplace_back(base, set);
  };
  if (receiver != nullptr && (receiver->Is(Kind::kModule) || receiver->Is(Kind::kInstance) || receiver->Is(Kind::kUnknown))) {
    if ((fact.effects & facts::kEvalMode) && !(fact.effects & facts::kTrainMode)) mark(kInEvalMode, true);
    if (fact.effects & facts::kTrainMode) {
      bool off = ArgumentValue(call, 0).Has(kIsFalse);
      bool unknown = call.argc > 0 && !off && !ArgumentValue(call, 0).Has(kIsTrue);
      mark(kInEvalMode, off);
      (void)unknown;
    }
    if ((fact.effects & (kFreezes | kWantsGrad)) && call.argc > 0 && ArgumentValue(call, 0).Has(kIsFalse)) mark(kFrozen, true);
  }
  if (fact.effects & kGradSet) {
    const syntax::Tree& tree = world_.module().tree();
    syntax::NodeId parent = tree.Parent(call.node);
    if (parent != syntax::kNoNode && tree.kind(parent) == syntax::Kind::kExpressionStatement) {
      Value flag = ArgumentValue(call, 0);
      SetMode(flag.Has(kIsFalse) ? GradMode::kOff : flag.Has(kIsTrue) ? GradMode::kOn : GradMode::kUnknown);
    }
  }
  if (!recording_ && !(fact.effects & (kStores | kStoresAll | kInPlace))) return;
  if (fact.effects & (kStores | kStoresAll)) {
    const ValueId stored = [&] {
      unsigned position = 0, want = fact.subject < 0 ? 0u : static_cast<unsigned>(fact.subject);
      for (const Argument& a : body_.Arguments(call)) {
        if (a.keyword == sema::kNoName && position++ == want) return a.value;
      }
      return call.argc > 0 ? body_.Arguments(call)[0].value : kNoValue;
    }();
    if (receiver != nullptr && stored != kNoValue) {
      Value what = fact.effects & kStoresAll ? ElementOf(Of(stored)) : Of(stored);
      const SlotId slot = PlaceOf(call.receiver);
      sema::NameId attribute = slot == kNoSlot ? sema::kNoName : body_.slots[Index(slot)].attribute;
      // d.update(other) overwrites keys; a list grows.
      StoreKind kind = fact.name.starts_with("builtins.dict") ? StoreKind::kSlot : StoreKind::kGrow;
      StoreInto(id, stored, *receiver, what, kind, slot, attribute);
    }
  }
  if ((fact.effects & kInPlace) && receiver != nullptr && call.receiver_slot != kNoSlot && call.argc > 0) {
    Value updated = *receiver;
    Origins added = ArgumentOrigins(call, -1);
    if (added.any() && state_->mode != GradMode::kOff && (body_.LoopOf(id) != kNoLoop || !body_.slots[Index(call.receiver_slot)].is_local ||
                                                          body_.slots[Index(call.receiver_slot)].depth > 0)) {
      updated.origins |= added;
      const Slot& s = body_.slots[Index(call.receiver_slot)];
      Objects sinks = !s.is_local || s.depth > 0 ? Bit(EntryObject(call.receiver_slot)) : 0;
      ChainStore(id, body_.Arguments(call)[0].value, updated, call.receiver_slot, s.attribute, sinks, &updated);
      state_->slots[Index(call.receiver_slot)] = updated;
    }
  }
  if (!recording_) return;
  auto grad_op = [&](GradOpKind kind, const Value& v, Strength strength) {
    std::uint32_t key = v.objects != 0 ? static_cast<std::uint32_t>(std::countr_zero(v.objects)) : kNoKey;
    SlotId slot = fact.subject == Fact::kReceiver ? call.receiver_slot : kNoSlot;
    if (key == kNoKey && slot != kNoSlot) key = kSlotKey + Index(slot);
    r_.grad_ops.push_back({kind, id, key, strength, sema::kNoFunction});
  };
  if (fact.effects & kStep) {
    const bool named = fact.subject != Fact::kReceiver || LooksLikeOptimizer(SlotName(call.receiver_slot));
    Strength s = subject.Is(Kind::kOptimizer) ? subject.strength : Strength::kMedium;
    if (!subject.Is(Kind::kScheduler) && (subject.Is(Kind::kOptimizer) || named)) grad_op(GradOpKind::kStep, subject, s);
  }
  if (fact.effects & kZeroGrad) {
    const bool module = subject.Is(Kind::kModule) || subject.Is(Kind::kInstance);
    grad_op(module ? GradOpKind::kClearAll : GradOpKind::kClear, subject, Strength::kStrong);
    if (r_.grad_ops.back().key == kNoKey) r_.grad_ops.back().kind = GradOpKind::kClearAll;
  }
  if (fact.effects & kMayClearGrads) r_.grad_ops.push_back({GradOpKind::kMayClearAll, id, kNoKey, Strength::kWeak, sema::kNoFunction});
  if (fact.name == "torch.Tensor.detach_" && call.receiver_slot != kNoSlot) {  // its history is cut
    AddReset(id, call.receiver_slot, *receiver, body_.slots[Index(call.receiver_slot)].attribute, false);
  }
  if (fact.effects & kRemovesHook) r_.removed |= subject.origins;
  if ((fact.effects & (kClears | kTakesOut)) && receiver != nullptr) {
    AddReset(id, call.receiver_slot, *receiver,
             call.receiver_slot == kNoSlot ? sema::kNoName : body_.slots[Index(call.receiver_slot)].attribute,
             (fact.effects & kTakesOut) != 0);
  }
}

Value FunctionAnalysis::FactResult(ValueId id, const Call& call, const Fact& fact, const Value* receiver) {
  using R = facts::Result;
  using G = facts::Graph;
  switch (fact.result) {
    case R::kNumber: return Value::Number();
    case R::kNone: return Value::Of(Kind::kNone);
    case R::kSelf: {
      Value v = receiver != nullptr ? *receiver : ArgumentValue(call, 0);
      if (!v.Reached()) return Value::Unknown();
      if ((fact.effects & facts::kEvalMode) && !(fact.effects & facts::kTrainMode)) v.flags |= kInEvalMode;
      if (fact.effects & (facts::kFreezes | facts::kWantsGrad) && ArgumentValue(call, 0).Has(kIsFalse)) v.flags |= kFrozen;
      v.flags = static_cast<std::uint8_t>(v.flags & ~kBareParam);
      if (fact.graph == G::kDrops) v.origins.reset();
      if (v.Is(Kind::kTensor) || v.Is(Kind::kUnknown)) break;
      if (fact.residency == facts::Residency::kDevice) v.residency = Residency::kDevice;
      return v;
    }
    case R::kArgument: {
      if (fact.name.ends_with(".prepare") && call.argc > 1) {  // model, optimizer, loader = accelerator.prepare(…)
        std::vector<Value> parts;
        for (const Argument& a : body_.Arguments(call)) parts.push_back(Of(a.value));
        return Tuple(id, parts);
      }
      Value v = receiver != nullptr ? *receiver : ArgumentValue(call, 0);
      return v.Reached() ? v : Value::Unknown();
    }
    case R::kElement: {
      Value v = receiver != nullptr ? *receiver : ArgumentValue(call, 0);
      return v.Reached() ? ElementOf(v) : Value::Unknown();
    }
    case R::kList: case R::kDict: case R::kSet: case R::kDeque: {
      unsigned object = ObjectFor(id, ObjectKind::kAllocation);
      Value v = Value::Of(Kind::kContainer);
      v.objects = Bit(object);
      if (object >= r_.objects.size()) return v;
      if (Keyword(call, "maxlen") != nullptr || (fact.result == R::kDeque && call.argc >= 2)) r_.objects[object].bounded = true;
      if (fact.graph != G::kDrops) {
        Value held = r_.contents[object];
        if (receiver != nullptr && (receiver->objects != 0 || receiver->origins.any())) held = flow::Join(held, ElementOf(*receiver));
        for (const Argument& a : body_.Arguments(call)) {
          if (Of(a.value).Is(Kind::kFunction) || Of(a.value).Is(Kind::kClass)) continue;
          held = flow::Join(held, a.keyword != sema::kNoName ? Deep(Of(a.value)) : ElementOf(Deep(Of(a.value))));
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
      if (!(fact.effects & facts::kHarmless) && fact.effects == 0) return UnknownCall(id, call, receiver);
      return Value::Unknown();
    case R::kModule: case R::kOptimizer: case R::kScheduler: case R::kScaler: case R::kLoader: case R::kDataset:
    case R::kHandle: case R::kContext: case R::kDistribution: case R::kWriter: case R::kMetric: case R::kEngine: {
      Value v = world_.OfFact(fact);
      if (fact.result == R::kMetric || fact.result == R::kDataset) v.kind = Kind::kUnknown;
      if (fact.result == R::kDistribution) {
        v.kind = Kind::kDistribution;
        if (state_->mode != GradMode::kOff) v.origins = ArgumentOrigins(call, -1);
      }
      if (fact.result == R::kOptimizer) {
        const unsigned object = ObjectFor(id, ObjectKind::kAllocation);
        v.objects = Bit(object);
        if (recording_) r_.grad_ops.push_back({GradOpKind::kClear, id, object, Strength::kStrong, sema::kNoFunction});  // new
      }
      return v;
    }
    default: break;
  }
  Value v = Value::Of(Kind::kTensor);
  Origins inputs = ArgumentOrigins(call, TargetOf(call, fact));
  if (receiver != nullptr) {
    // x.to(other), x.view_as(other): only the shape or place of the argument counts
    const bool like = fact.residency == facts::Residency::kArgument || fact.name.ends_with("_as");
    if (like) inputs.reset();
    inputs |= Deep(*receiver).origins;
  }
  const bool second_order = (fact.effects & facts::kGradOfInputs) && IsTrue(Keyword(call, "create_graph"));
  if ((fact.graph != G::kDrops || second_order) && state_->mode != GradMode::kOff) v.origins = inputs;
  // A parameter or a leaf that wants a gradient has no graph behind it.
  const bool leaf = fact.is_class || (fact.effects & facts::kWantsGrad) || fact.name.starts_with("torch.nn.");
  if (fact.graph == G::kMakes && state_->mode != GradMode::kOff && !leaf) {
    unsigned origin = OriginFor(id, OriginKind::kCall);
    if (r_.origins[origin].kind == OriginKind::kCall) {
      r_.origins[origin].makes_graph = true;
      r_.origins[origin].strength = Strength::kMedium;
      r_.origins[origin].mode = state_->mode;
      r_.graph_mask.set(origin);
    }
    v.origins.set(origin);
  }
  const Value first = receiver != nullptr ? *receiver : ArgumentValue(call, 0);
  v.strength = Strength::kStrong;
  v.flags = static_cast<std::uint8_t>(first.flags & kMovedToHost);
  switch (fact.residency) {
    case facts::Residency::kHost:
      v.residency = Residency::kHost;
      v.flags |= kMovedToHost;
      break;
    case facts::Residency::kDevice: v.residency = Residency::kDevice; break;
    case facts::Residency::kKeeps:
      v.residency = first.Is(Kind::kTensor) || first.Is(Kind::kUnknown) ? first.residency : Residency::kUnknown;
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
        } else if (text.find("cuda") != text.npos || text.find("gpu") != text.npos) v.residency = Residency::kDevice;
        else if (text.find("device") != text.npos) v.residency = Residency::kDevice;
      }
      break;
    }
  }
  switch (fact.size) {
    case facts::Size::kScalar: v.size = Size::kScalar; break;
    case facts::Size::kSized: v.size = Size::kSized; break;
    case facts::Size::kKeeps: v.size = first.size; break;
    case facts::Size::kUnknown: v.size = Size::kUnknown; break;
  }
  const bool whole = call.argc == (receiver != nullptr ? 0u : 1u);
  if (fact.reduces && whole) v.size = Size::kScalar;
  if (fact.result == R::kTensors && !(fact.reduces && whole)) v.kind = v.origins.any() ? Kind::kTensor : Kind::kContainer;
  return v;
}

}  // namespace torchleak::flow
