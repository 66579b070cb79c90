// Modules that run, and calls that nobody knows: where graphs are made.
#include <algorithm>
#include <array>
#include <bit>

#include "flow/analysis.h"
#include "flow/arguments.h"
#include "flow/names.h"

namespace torchleak::flow {

using facts::Fact;

// The forward of a module of this file; nullptr for others.
const FunctionResult* FunctionAnalysis::ForwardOf(const Value& module) const {
  if (module.ref == kNoRef || module.ref >= 0x80000000u) return nullptr;
  sema::FunctionId forward =
      world_.module().FindMethod(sema::ClassId{module.ref}, std::string_view("forward"));
  return forward == sema::kNoFunction ? nullptr : &world_.result(forward);
}

// Called like a module, but with what no module is fed: model.parameters(), **config.
bool FunctionAnalysis::IsNoForward(const Call& call) const {
  const auto arguments = body_.Arguments(call);
  const bool parameters = std::any_of(arguments.begin(), arguments.end(), [&](const Argument& a) {
    return Of(a.value).Is(Kind::kParameters);
  });
  const bool configured =
      !arguments.empty() && std::all_of(arguments.begin(), arguments.end(), [&](const Argument& a) {
        const syntax::NodeId node = body_[a.value].node;
        return a.stars == 2 && node != syntax::kNoNode &&
               world_.module().tree().Text(node).find("config") != std::string_view::npos;
      });
  return parameters || configured;
}

// A module runs: its output carries a graph while grad is on.
Value FunctionAnalysis::RunModule(ValueId id, const Call& call, const Value& module, SlotId slot) {
  if (IsNoForward(call)) return UnknownCall(id, call, nullptr);
  if (EvidenceOf(id) & kIsLayer) return Value::Of(Kind::kModule, Strength::kMedium);  // a class
  const bool known_class = module.ref != kNoRef;
  if (call.argc == 0 && !known_class &&
      (EvidenceOf(id) & (facts::kIsTensor | facts::kIsDifferentiated)) == 0) {
    return UnknownCall(id, call, nullptr);  // no input: more likely a method or a factory
  }
  const auto arguments = body_.Arguments(call);
  const bool numbers =
      !arguments.empty() && std::all_of(arguments.begin(), arguments.end(),
                                        [&](const Argument& a) { return IsPlain(Of(a.value)); });
  if (numbers && !known_class)
    return UnknownCall(id, call, nullptr);  // fed with numpy: not torch's
  Origins inputs = ArgumentOrigins(call, -1);
  Strength strength = module.strength;
  const std::uint16_t bits = EvidenceOf(id);
  if ((bits & kIsArray) && !known_class) return UnknownCall(id, call, nullptr);  // of numpy
  if (bits & facts::kIsDifferentiated) strength = Strength::kStrong;
  Value out = Value::Of(Kind::kTensor, strength);
  out.size = Size::kUnknown;
  bool device = module.residency == Residency::kDevice;
  bool evidence = (bits & facts::kIsTensor) != 0;
  for (const Argument& a : body_.Arguments(call)) {
    device |= Of(a.value).residency == Residency::kDevice;
    evidence |= Of(a.value).Is(Kind::kTensor);
  }
  evidence |= FedByLoader(world_.module(), body_, id);
  if (device) out.residency = Residency::kDevice;
  if (strength == Strength::kWeak && (evidence || device)) strength = Strength::kMedium;
  out.strength = strength;
  const facts::Fact* loss = nullptr;
  if (module.ref != kNoRef && module.ref >= kFactRef)
    loss = facts::FindCall(facts::All()[module.ref - kFactRef]);
  if (loss != nullptr && loss->size == facts::Size::kScalar) {  // a loss has no weights of its own
    out.size = module.size == Size::kSized ? Size::kSized : Size::kScalar;
    out.origins =
        state_->mode == GradMode::kOff ? Origins{} : ArgumentOrigins(call, TargetOf(call, *loss));
    out.strength = Strength::kStrong;
    return out;
  }
  if (loss != nullptr &&
      loss->graph == facts::Graph::kKeeps) {  // no weights: ReLU, CosineSimilarity, Dropout
    if (state_->mode != GradMode::kOff) out.origins = inputs;
    return out;
  }
  if (bits & facts::kIsDifferentiated && !(bits & (kThroughElement | kThroughUnknown)))
    out.size = Size::kScalar;
  const FunctionResult* forward = ForwardOf(module);
  if (known_class && module.ref < kFactRef && world_.IsWeightless(sema::ClassId{module.ref})) {
    if (state_->mode != GradMode::kOff) out.origins = inputs;
    return forward == nullptr || !forward->summary.ready ? out : Parts(id, forward->summary, out);
  }
  bool differentiates = false;
  if (forward != nullptr) {
    // A forward that turns grad off by itself makes no graph.
    if (world_.DecoratedMode(forward->body.function) == GradMode::kOff) return out;
    differentiates = forward->summary.differentiates;  // forces, penalties: it needs grad itself
    const Summary& s = forward->summary;
    if (s.ready && s.ret.value.Is(Kind::kContainer)) out.kind = Kind::kContainer;
    // It hands everything to code of other files, which may well turn grad off; or it computes
    // without modules and without anything that may be a parameter: a filter, a colour map.
    const bool opaque =
        s.ready && !s.ret_makes_graph &&
        (s.ret.value.Is(Kind::kUnknown) || !world_.ShowsWeights(sema::ClassId{module.ref}));
    if (opaque && !(bits & facts::kIsDifferentiated)) strength = Strength::kWeak;
  }
  if (state_->mode == GradMode::kOff) return out;
  out.origins = inputs;
  if (module.Has(kFrozen) ||
      (known_class && module.ref < 0x80000000u && world_.IsFrozenClass(sema::ClassId{module.ref})))
    return out;
  const unsigned origin = MakeGraph(id, OriginKind::kModuleCall, strength);
  Origin& o = r_.origins[origin];
  if (o.kind == OriginKind::kModuleCall) {
    o.in_eval = module.Has(kInEvalMode);
    o.scalar = out.size == Size::kScalar;
    if (slot != kNoSlot && body_.slots[Index(slot)].depth == 0)
      o.ref = Index(body_.slots[Index(slot)].root);
  }
  out.strength = strength;
  out.origins.set(origin);
  if (recording_ && !differentiates) {
    Forward f;
    f.value = id;
    f.node = call.node;
    f.origin = origin;
    f.module_slot = slot;
    f.strength = strength;
    f.by_name =
        module.strength == Strength::kWeak && slot != kNoSlot && body_.slots[Index(slot)].depth > 0;
    f.mode = state_->mode;
    f.in_eval = module.Has(kInEvalMode);
    f.over_held_out = OverHeldOut(body_.LoopOf(id));
    r_.forwards.push_back(f);
  }
  return forward == nullptr || !forward->summary.ready ? out : Parts(id, forward->summary, out);
}

// out, ratio = net(x): a tuple whose numbers stay numbers, and whose tensors are no tuples.
Value FunctionAnalysis::Parts(ValueId id, const Summary& forward, const Value& whole) {
  if (forward.ret_fields.empty()) return whole;
  const unsigned object = ObjectFor(id, ObjectKind::kAllocation);
  Value v = Value::Of(Kind::kContainer);
  v.objects = Bit(object);
  if (object >= r_.objects.size()) return whole;
  Value held = r_.contents[object];
  auto& fields = r_.fields[object];
  fields.clear();
  for (const auto& [key, field] : forward.ret_fields) {
    // Numbers, and containers of nothing but numbers, stay what they are.
    const bool plain = field.value.Is(Kind::kNumber) || field.value.Is(Kind::kNone) ||
                       (field.value.Is(Kind::kContainer) && !field.graph && field.params == 0);
    Value part = plain ? field.value : whole;
    if (field.value.Is(Kind::kTensor)) part.kind = Kind::kTensor;
    held = flow::Join(held, part);
    fields.emplace_back(key, part);
  }
  if (!(held == r_.contents[object])) {
    r_.contents[object] = held;
    heap_changed_ = true;
  }
  return v;
}

// Nobody knows the callee: what becomes of the result says whether a graph was made.
Value FunctionAnalysis::UnknownCall(ValueId id, const Call& call, const Value* receiver) {
  const std::uint16_t bits = EvidenceOf(id);
  std::string_view name =
      call.callee_slot != kNoSlot ? SlotName(call.callee_slot) : NameText(call.method);
  Origins origins = ArgumentOrigins(call, -1);
  if (receiver != nullptr) origins |= Deep(*receiver).origins;
  Value out = Value::Unknown();
  std::string_view callee =
      call.method != sema::kNoName || call.callee_slot == kNoSlot ? NameText(call.method) : name;
  if (call.qualified) callee = CalleeText(call);
  if (!callee.empty() && callee[0] >= 'A' && callee[0] <= 'Z' &&
      callee.size() > 2) {  // an object is made
    out = world_.FromEvidence(static_cast<std::uint16_t>(bits & ~facts::kIsTensor), {});
    out.objects = Bit(ObjectFor(id, ObjectKind::kAllocation));
    if (recording_) r_.escaped |= origins;
    return out;
  }
  const bool weightless =
      (bits & kIsWeightless) && !LooksLikeLoss(name) && (origins & r_.graph_mask).none();
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
  const bool number_name =
      name == "len" || name == "size" || name == "item" || name == "get" || name == "next";
  if (state_->mode != GradMode::kOff && (differentiated || (tensor && of_module)) && !number_name) {
    const Strength strength =
        differentiated && !(bits & kThroughUnknown) ? Strength::kStrong : Strength::kMedium;
    const unsigned origin = MakeGraph(id, OriginKind::kCall, strength);
    out.kind = Kind::kTensor;
    out.strength = strength;
    out.origins = origins;
    out.origins.set(origin);
    if (!(bits & (kThroughElement | kThroughUnknown)) || loss_name) out.size = Size::kScalar;
    return out;
  }
  // criterion(out, y) keeps the graph of `out`; loss_scaler(loss, optimizer) does something else.
  const syntax::Tree& tree = world_.module().tree();
  syntax::NodeId parent = tree.Parent(call.node);
  bool is_loss = loss_name && (parent == syntax::kNoNode ||
                               tree.kind(parent) != syntax::Kind::kExpressionStatement);
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
    const bool telling = name.find("lr") != name.npos || name.find("learning") != name.npos ||
                         name.find("sched") != name.npos;
    if (!recording_ || !v.Is(Kind::kOptimizer) || telling) continue;
    std::uint32_t key = GradKey(v, kNoSlot);
    if (key != kNoKey)
      r_.grad_ops.push_back({GradOpKind::kMayClear, id, key, Strength::kWeak, sema::kNoFunction});
  }
  if (recording_ && receiver != nullptr &&
      (name.find("zero") != name.npos || name.find("clear_grad") != name.npos)) {
    r_.grad_ops.push_back(
        {GradOpKind::kMayClearAll, id, kNoKey, Strength::kWeak, sema::kNoFunction});
  }
  out.objects = Bit(ObjectFor(id, ObjectKind::kAllocation));
  if (out.Is(Kind::kUnknown)) out.origins &= r_.graph_mask;  // an unknown result is not a parameter
  return out;
}

}  // namespace torchleak::flow
