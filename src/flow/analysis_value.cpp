// Values made of values: elements, parts, sums, displays.
#include <algorithm>
#include <bit>

#include "flow/analysis.h"
#include "flow/names.h"

namespace torchleak::flow {

// Everything the value reaches: a container hands on the graphs of what it holds.
Value FunctionAnalysis::Deep(const Value& v) const {
  if (v.objects == 0) return v;
  Value out = v;
  Objects seen = 0, left = v.objects;
  while (left != 0) {
    auto i = static_cast<unsigned>(std::countr_zero(left));
    seen |= Bit(i);
    left &= ~seen;
    if (i >= r_.contents.size()) continue;
    out.origins |= r_.contents[i].origins;
    if (r_.contents[i].Has(kMovedToHost)) out.flags |= kMovedToHost;
    const Residency held = r_.contents[i].residency;
    if (out.Is(Kind::kContainer) && held != Residency::kUnknown &&
        out.residency != Residency::kDevice)
      out.residency = held;
    left |= r_.contents[i].objects & ~seen;
  }
  return out;
}

Value FunctionAnalysis::ElementOf(const Value& base) {
  Value out = Value::Unknown();
  out.origins = base.objects == 0 ? base.origins : Deep(base).origins;
  out.strength = base.strength;
  switch (base.kind) {
    case Kind::kNumber:
      return Value::Number();
    case Kind::kTensor:
      out = base;
      out.origins = base.objects == 0 ? base.origins : Deep(base).origins;
      out.objects = 0;
      out.flags = 0;
      if (out.size == Size::kScalar) out.size = Size::kUnknown;
      return out;
    case Kind::kLoader:
      out.strength = Strength::kNone;
      out.origins.reset();
      return out;
    case Kind::kParameters:
      out = base;
      return out;
    case Kind::kModule: {  // model[0], for block in self.blocks
      out = Value::Of(Kind::kModule, std::min(base.strength, Strength::kMedium));
      out.flags = base.flags;
      return out;
    }
    case Kind::kOptimizer:
      return base;
    default:
      break;
  }
  Value held;
  for (Objects left = base.objects; left != 0; left &= left - 1) {
    auto i = static_cast<unsigned>(std::countr_zero(left));
    if (i >= r_.contents.size()) continue;
    if (r_.contents[i].Reached()) held = flow::Join(held, r_.contents[i]);
  }
  // self.meters = defaultdict(Meter)
  const bool objects_of_class = base.Is(Kind::kContainer) && base.ref != kNoRef;
  if (held.Reached()) {
    if (objects_of_class) {
      held.kind = Kind::kInstance;
      held.ref = base.ref;
    }
    held.objects |= base.objects;
    held.origins |= base.origins;
    held.flags = static_cast<std::uint8_t>(held.flags & ~kBareParam);
    return held;
  }
  out.objects = base.objects;
  if (objects_of_class) {
    out.kind = Kind::kInstance;
    out.ref = base.ref;
    return out;
  }
  if (base.kind == Kind::kContainer && (base.origins & r_.graph_mask).any()) {
    out.kind = Kind::kTensor;
    out.residency = base.residency;
    out.strength = base.strength;
  }
  return out;
}

Value FunctionAnalysis::ItemOf(const Value& base, std::uint32_t key, bool slice) {
  if (slice) {
    Value v = base;
    v.flags = static_cast<std::uint8_t>(v.flags & ~kBareParam);
    return v;
  }
  if (key != kNoKey && std::popcount(base.objects) == 1) {
    auto i = static_cast<unsigned>(std::countr_zero(base.objects));
    if (i < r_.fields.size()) {
      for (const auto& [k, v] : r_.fields[i]) {
        if (k != key) continue;
        Value out = v;  // … and, when it may also be no container of ours, what that is made of
        if (!base.Is(Kind::kContainer)) out.origins |= base.origins;
        return out;
      }
    }
  }
  return ElementOf(base);
}

// for name, p in model.named_parameters(): the first part is text.
bool FunctionAnalysis::IteratesNames(const Instr& in) const {
  if (in.op != Op::kIterate || body_[body_.Operand(in, 0)].op != Op::kCall) return false;
  std::string_view method = NameText(body_.calls[body_[body_.Operand(in, 0)].aux].method);
  return method.starts_with("named_") || method == "items";
}

// for i, (name, row) in enumerate(zip(names, rows)): each part is an element of its own argument.
std::optional<Value> FunctionAnalysis::IteratedPart(const Instr& in) {
  std::vector<std::uint32_t> path{in.aux};
  const Instr* at = &body_[body_.Operand(in, 0)];
  bool plain = in.aux8 == 0;
  for (; at->op == Op::kUnpack && path.size() < 4; at = &body_[body_.Operand(*at, 0)]) {
    path.push_back(at->aux);
    plain &= at->aux8 == 0;
  }
  if (at->op != Op::kIterate || !plain) return {};
  ValueId source = body_.Operand(*at, 0);
  bool zipped = false;
  for (int steps = 0; steps < 8 && body_[source].op == Op::kCall; ++steps) {
    const Call& call = body_.calls[body_[source].aux];
    const auto args = body_.Arguments(call);
    const std::string_view name = call.fact == nullptr ? std::string_view{} : call.fact->name;
    const bool passes = name == "tqdm.tqdm" || name == "builtins.list" || name == "builtins.tuple";
    std::size_t taken = 0;
    if (name == "builtins.enumerate" && !path.empty()) {
      if (path.back() == 0) return Value::Number();
      path.pop_back();
    } else if (name == "builtins.zip" && !path.empty()) {
      taken = path.back();
      path.pop_back();
      zipped = true;
    } else if (!passes) {
      break;
    }
    for (std::size_t i = 0; i <= taken && i < args.size(); ++i)
      if (args[i].stars != 0) return {};
    if (taken >= args.size()) return {};
    source = args[taken].value;
  }
  if (!zipped) return {};
  Value part = ElementOf(Of(source));
  for (auto key = path.rbegin(); key != path.rend(); ++key) part = ItemOf(part, *key, false);
  return part;
}

// values, indices = torch.topk(x, k): the second part is integers.
bool FunctionAnalysis::SecondIsIndices(const Instr& in) const {
  if (in.op != Op::kCall) return false;
  const Call& call = body_.calls[in.aux];
  std::string_view name = call.fact != nullptr ? call.fact->name : NameText(call.method);
  name = name.substr(name.rfind('.') + 1);
  return name == "topk" || name == "max" || name == "min" || name == "sort" || name == "kthvalue" ||
         name == "mode" || name == "median";
}

Value FunctionAnalysis::Tensor(ValueId, const Origins& origins, Strength strength) const {
  Value v = Value::Of(Kind::kTensor, strength);
  if (state_->mode != GradMode::kOff) v.origins = origins;
  return v;
}

Value FunctionAnalysis::Arithmetic(const Instr& in) {
  const Value& a = Of(body_.Operand(in, 0));
  const Value& b = Of(body_.Operand(in, 1));
  for (ValueId o : body_.Operands(in)) {  // "a" + b: text
    if (body_[o].op == Op::kString || body_[o].op == Op::kFormat) return Value::Number();
  }
  if (a.Is(Kind::kNumber) && b.Is(Kind::kNumber)) return Value::Number();
  if (a.Is(Kind::kContainer) && b.Is(Kind::kContainer)) {  // list + list, list * n
    Value v = flow::Join(a, b);
    return v;
  }
  if (a.Is(Kind::kContainer) && b.Is(Kind::kNumber)) return a;
  const auto times = static_cast<BinaryOp>(in.aux8) == BinaryOp::kMul;
  if (times && body_[body_.Operand(in, 0)].op == Op::kList && b.Is(Kind::kUnknown))
    return a;  // [0.0] * n
  Value v = Value::Unknown();
  const bool tensor = a.Is(Kind::kTensor) || b.Is(Kind::kTensor);
  if (tensor) v.kind = Kind::kTensor;
  v.strength = tensor ? std::max(a.Is(Kind::kTensor) ? a.strength : Strength::kNone,
                                 b.Is(Kind::kTensor) ? b.strength : Strength::kNone)
                      : Strength::kNone;
  if (state_->mode != GradMode::kOff) v.origins = Deep(a).origins | Deep(b).origins;
  auto scalar = [](const Value& x) { return x.size == Size::kScalar; };
  v.size = scalar(a) && scalar(b)                               ? Size::kScalar
           : (a.size == Size::kSized || b.size == Size::kSized) ? Size::kSized
                                                                : Size::kUnknown;
  v.residency = a.residency == Residency::kDevice || b.residency == Residency::kDevice
                    ? Residency::kDevice
                : a.Is(Kind::kTensor) && !a.Is(Kind::kNumber) ? a.residency
                                                              : b.residency;
  if (!tensor) v.residency = Residency::kUnknown;
  v.flags = static_cast<std::uint8_t>((a.flags | b.flags) & kMovedToHost);
  return v;
}

Value FunctionAnalysis::Allocate(ValueId id, const Instr& in) {
  unsigned object = ObjectFor(id, ObjectKind::kAllocation);
  Value v = Value::Of(Kind::kContainer);
  v.objects = Bit(object);
  if (object >= r_.objects.size()) {  // too many to be followed: it holds what it is made of
    for (ValueId o : body_.Operands(in)) v.origins |= Deep(Of(o)).origins;
    return v;
  }
  if (in.op == Op::kList && in.aux8 == 1) r_.objects[object].generator = true;
  r_.objects[object].in_comprehension =
      body_.LoopOf(id) != kNoLoop && body_.loops[Index(body_.LoopOf(id))].is_comprehension;
  auto operands = body_.Operands(in);
  Value held = r_.contents[object];
  auto& fields = r_.fields[object];
  const bool first = fields.empty();
  for (std::size_t i = 0; i < operands.size(); ++i) {
    Value part = Deep(Of(operands[i]));
    if (in.op == Op::kDict && body_.keys[in.aux + i] == kNoKey && part.Is(Kind::kContainer))
      part = ElementOf(part);
    held = flow::Join(held, part);
    std::uint32_t key = in.op == Op::kTuple || in.op == Op::kList ? static_cast<std::uint32_t>(i)
                        : in.op == Op::kDict                      ? body_.keys[in.aux + i]
                                                                  : kNoKey;
    if (key == kNoKey || operands.size() > 32) continue;
    auto it =
        std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.first == key; });
    if (it == fields.end()) {
      fields.emplace_back(key, part);
    } else if (!(it->second == part)) {
      it->second = part;
      if (!first) heap_changed_ = true;
    }
  }
  if (!(held == r_.contents[object])) {
    r_.contents[object] = held;
    heap_changed_ = true;
  }
  return v;
}

Value FunctionAnalysis::Tuple(ValueId id, const std::vector<Value>& parts) {
  unsigned object = ObjectFor(id, ObjectKind::kAllocation);
  Value v = Value::Of(Kind::kContainer);
  v.objects = Bit(object);
  if (object >= r_.objects.size()) {  // too many to be followed: each part may be any of them
    for (const Value& part : parts) v.origins |= Deep(part).origins;
    return v;
  }
  auto& fields = r_.fields[object];
  Value held = r_.contents[object];
  for (std::size_t i = 0; i < parts.size(); ++i) {
    held = flow::Join(held, parts[i]);
    if (i < fields.size()) {
      fields[i].second = parts[i];
    } else {
      fields.emplace_back(static_cast<std::uint32_t>(i), parts[i]);
    }
  }
  r_.contents[object] = held;
  return v;
}

}  // namespace torchleak::flow
