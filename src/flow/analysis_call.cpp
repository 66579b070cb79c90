// Calls. In order: a fact about the qualified name, a method by the receiver's kind, a function or
// class of this file, a module that runs, and at last evidence: what becomes of the result.
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

bool FunctionAnalysis::IsTrue(const Argument* a) const {
  return a != nullptr && Of(a->value).Has(kIsTrue);
}
bool FunctionAnalysis::IsFalse(const Argument* a) const {
  return a != nullptr && Of(a->value).Has(kIsFalse);
}

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

std::uint32_t FunctionAnalysis::GradKey(const Value& optimizer, SlotId slot) const {
  if (optimizer.objects != 0)
    return static_cast<std::uint32_t>(std::countr_zero(optimizer.objects));
  return slot != kNoSlot ? kSlotKey + Index(slot) : kNoKey;
}

unsigned FunctionAnalysis::MakeGraph(ValueId id, OriginKind kind, Strength strength) {
  const unsigned origin = OriginFor(id, kind);
  Origin& o = r_.origins[origin];
  if (o.kind != kind) return origin;  // the origin that all share once there are too many
  o.makes_graph = true;
  o.mode = state_->mode;
  o.strength = strength;
  r_.graph_mask.set(origin);
  return origin;
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
    case Kind::kFunction:
      if (callee.ref == kNoRef) return UnknownCall(id, call, nullptr);
      return ApplySummary(id, call, sema::FunctionId{callee.ref}, nullptr, false);
    case Kind::kClass:
      return MakeInstance(id, call, sema::ClassId{callee.ref});
    case Kind::kModule:
    case Kind::kEngine:
      return RunModule(id, call, callee, call.callee_slot);
    case Kind::kInstance: {
      sema::FunctionId f =
          world_.module().FindMethod(sema::ClassId{callee.ref}, std::string_view("__call__"));
      if (f != sema::kNoFunction) return ApplySummary(id, call, f, &callee, true);
      if (world_.IsModuleClass(sema::ClassId{callee.ref})) {  // self(x)
        Value self = callee;
        self.kind = Kind::kModule;
        return RunModule(id, call, self, call.callee_slot);
      }
      return UnknownCall(id, call, nullptr);
    }
    case Kind::kNumber:
      return Value::Number();  // what a library without tensors has made
    default:
      break;
  }
  return CallOfLibraryObject(id, call, callee);
}

// An instance of a class of the stubs that is no module: a metric, timm's scaler.
Value FunctionAnalysis::CallOfLibraryObject(ValueId id, const Call& call, const Value& callee) {
  const bool known = callee.Is(Kind::kUnknown) && callee.ref != kNoRef && callee.ref >= 0x80000000u;
  const Fact* fact =
      known ? facts::FindListed(facts::All()[callee.ref & 0x7FFFFFFFu].name, "__call__") : nullptr;
  return fact == nullptr ? UnknownCall(id, call, nullptr) : ApplyFact(id, call, *fact, &callee);
}

void FunctionAnalysis::HoldIn(Objects objects, const Value& what) {
  if (!what.Reached()) return;
  for (Objects left = objects; left != 0; left &= left - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(left));
    if (i >= r_.contents.size()) continue;
    const Value joined = flow::Join(r_.contents[i], what);
    if (joined == r_.contents[i]) continue;
    r_.contents[i] = joined;
    heap_changed_ = true;
  }
}

Value FunctionAnalysis::MakeInstance(ValueId id, const Call& call, sema::ClassId cls) {
  const bool module = world_.IsModuleClass(cls);
  Value v = Value::Of(module ? Kind::kModule : Kind::kInstance);
  v.ref = Index(cls);
  if (!module) {
    unsigned object = ObjectFor(id, ObjectKind::kInstance);
    if (object < r_.objects.size()) r_.objects[object].class_id = cls;
    v.objects = Bit(object);
    if (recording_)
      r_.grad_ops.push_back({GradOpKind::kClear, id, object, Strength::kStrong, sema::kNoFunction});
  }
  for (const std::string& b : world_.module()[cls].external_bases) {
    if (b == "torch.optim.Optimizer" || facts::IsSubclass(b, "torch.optim.Optimizer"))
      v.kind = Kind::kOptimizer;
  }
  sema::FunctionId init = world_.module().FindMethod(cls, std::string_view("__init__"));
  if (init != sema::kNoFunction) {
    ApplySummary(id, call, init, &v, true);
  } else if (!module && v.objects != 0) {  // a dataclass, a named tuple: made of its arguments
    Value held;
    for (const Argument& a : body_.Arguments(call)) held = flow::Join(held, Deep(Of(a.value)));
    HoldIn(v.objects, held);
  }
  return v;
}

std::string_view FunctionAnalysis::CalleeText(const Call& call) const {
  const syntax::Tree& tree = world_.module().tree();
  syntax::NodeId function = tree.Child(call.node, syntax::Field::kFunction);
  if (function == syntax::kNoNode) return {};
  std::string_view text = tree.Text(function);
  return text.substr(text.rfind('.') + 1);
}

}  // namespace torchleak::flow
