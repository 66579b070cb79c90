// A walk back from each stored value, until something tells that it is a tensor or nothing does.
#include "patterns/ctx_attribute.h"

#include <algorithm>
#include <array>

#include "flow/world.h"
#include "patterns/definition.h"

namespace torchleak::patterns {

using flow::Body;
using flow::FunctionResult;
using flow::Instr;
using flow::Op;
using flow::ValueId;
using sema::Index;

namespace {

constexpr std::array<std::string_view, 4> kFunctionBases{
    "torch.autograd.Function", "torch.autograd.function.Function",
    "torch.autograd.function.InplaceFunction", "torch.autograd.function.NestedIOFunction"};

class Theme {
 public:
  Theme(const Sight& sight, sema::ClassId cls) : sight_(sight), module_(sight.module()), cls_(cls) {
    FindGradients();
  }

  void Collect(std::string_view method, std::vector<CtxAttributeEvent>* out);

 private:
  void FindGradients();
  bool IsGradient(const Body& body, ValueId value) const;
  bool HasGradient(std::uint32_t input) const {
    return input < gradients_.size() ? gradients_[input] : false;
  }
  bool IsTensor(const FunctionResult& r, ValueId value) const;
  // Kinds of values that tell by themselves; else what has to be looked at is put into `work`.
  bool Tells(const FunctionResult& r, ValueId value, std::vector<ValueId>* work) const;
  bool CallTells(const FunctionResult& r, const Instr& in, std::vector<ValueId>* work) const;
  bool ParameterTells(const FunctionResult& r, ValueId value, std::uint32_t parameter) const;
  bool IsInputs(const FunctionResult& r, ValueId value) const;
  bool IsDetached(const FunctionResult& r, ValueId stored) const;
  void FindOutputs(const FunctionResult& r);
  bool HoldsOutput(const FunctionResult& r, ValueId stored) const;

  const Sight& sight_;
  const sema::Module& module_;
  sema::ClassId cls_;
  std::vector<bool> gradients_;  // by input of forward, `ctx` not counted
  bool setup_context_ = false;
  sema::NameId attribute_ = sema::kNoName;  // the one that is looked at
  std::vector<ValueId> outputs_;
  std::vector<ValueId> saved_;  // what save_for_backward() is given
};

// An element of what backward returns that is None on every way is no gradient.
bool Theme::IsGradient(const Body& body, ValueId value) const {
  if (body[value].op == Op::kNone) return false;
  if (body[value].op != Op::kLoad) return true;
  const std::uint32_t slot = body[value].aux;
  bool any = false;
  for (const Instr& in : body.instrs) {
    if (in.op != Op::kStore || in.aux != slot) continue;
    any = true;
    const ValueId source = body.Operand(in, 0);
    if (body[source].op != Op::kNone) return true;
  }
  return !any;
}

void Theme::FindGradients() {
  for (const std::string_view name : {"backward", "vjp"}) {
    const sema::FunctionId f = module_.FindMethod(cls_, name);
    if (f == sema::kNoFunction || module_.IsForeign(f)) continue;
    const Body& body = sight_.world().result(f).body;
    for (const Instr& in : body.instrs) {
      if (in.op != Op::kReturn || in.argc == 0) continue;
      ValueId value = Definition(body, body.Operand(in, 0));
      // (None, None) + grads, tuple(grads)
      if (body[value].op == Op::kBinary && body[body.Operand(body[value], 0)].op == Op::kTuple)
        value = body.Operand(body[value], 0);
      const Instr& made = body[value];
      const bool tuple = made.op == Op::kTuple;
      const bool unknown = !tuple && made.op == Op::kCall && body.calls[made.aux].fact != nullptr &&
                           body.calls[made.aux].fact->name.starts_with("builtins.");
      if (unknown) continue;
      const std::size_t count = tuple ? made.argc : 1;
      if (gradients_.size() < count) gradients_.resize(count);
      for (std::uint32_t i = 0; i < count; ++i)
        if (IsGradient(body, tuple ? body.Operand(made, i) : value)) gradients_[i] = true;
    }
  }
}

bool Theme::IsInputs(const FunctionResult& r, ValueId value) const {
  return setup_context_ && ParameterOf(module_, r.body, value) == 1;
}

bool Theme::ParameterTells(const FunctionResult& r, ValueId value, std::uint32_t parameter) const {
  const sema::Param& p = module_[r.body.function].params[parameter];
  if (parameter == 0) return false;
  const std::string_view annotation =
      p.annotation == syntax::kNoNode ? std::string_view{} : sight_.Text(p.annotation);
  if (annotation == "torch.Tensor" || annotation == "Tensor") return true;
  if (!annotation.empty() && annotation.find("Tensor") == annotation.npos) return false;
  if (setup_context_) return parameter == 2;
  if (p.kind == sema::ParamKind::kPositional && HasGradient(parameter - 1)) return true;
  // list(args[:n]), whose elements backward() treats as tensors
  if (p.kind == sema::ParamKind::kVarArgs)
    return (sight_.world().AttributeEvidence(attribute_) & facts::kIsTensor) != 0;
  return std::ranges::any_of(saved_, [&](ValueId saved) {
    const ValueId made = Definition(r.body, saved);
    return made == value || (r.body[made].op == Op::kLoad && r.body[value].op == Op::kLoad &&
                             r.body[made].aux == r.body[value].aux);
  });
}

bool Theme::CallTells(const FunctionResult& r, const Instr& in, std::vector<ValueId>* work) const {
  const flow::Call& call = r.body.calls[in.aux];
  if (call.fact != nullptr) {
    if (call.fact->name.ends_with("rng_state")) return false;
    const facts::Result result = call.fact->result;
    if (result == facts::Result::kArgument && call.argc > 0)
      work->push_back(r.body.Arguments(call)[0].value);
    const bool builtin = call.fact->name == "builtins.list" || call.fact->name == "builtins.tuple";
    if (builtin && call.argc == 1) work->push_back(r.body.Arguments(call)[0].value);
    return result == facts::Result::kTensor || result == facts::Result::kTensors;
  }
  if (call.receiver == flow::kNoValue || call.method == sema::kNoName) return false;
  const facts::Fact* method = facts::FindMethod("torch.Tensor", module_.Text(call.method));
  const bool gives = method != nullptr && (method->result == facts::Result::kTensor ||
                                           method->result == facts::Result::kTensors ||
                                           method->result == facts::Result::kSelf);
  if (gives) work->push_back(call.receiver);
  return false;
}

bool Theme::Tells(const FunctionResult& r, ValueId value, std::vector<ValueId>* work) const {
  const Instr& in = r.body[value];
  switch (in.op) {
    case Op::kLoad:
    case Op::kParam: {
      const std::uint32_t parameter = ParameterOf(module_, r.body, value);
      return parameter != flow::kNoKey && ParameterTells(r, value, parameter);
    }
    case Op::kUnpack:  // x, w = inputs
      if (IsInputs(r, Definition(r.body, r.body.Operand(in, 0)))) return HasGradient(in.aux);
      work->push_back(r.body.Operand(in, 0));
      return false;
    case Op::kGetItem:
      work->push_back(r.body.Operand(in, 0));
      return false;
    case Op::kBinary:
    case Op::kAugment:
    case Op::kUnary:
    case Op::kSelect:
    case Op::kTuple:
    case Op::kList:
    case Op::kCompare:
      for (const ValueId o : r.body.Operands(in)) work->push_back(o);
      return false;
    case Op::kCall:
      return CallTells(r, in, work);
    default:
      return false;
  }
}

bool Theme::IsTensor(const FunctionResult& r, ValueId value) const {
  constexpr int kMaxSteps = 64;
  std::vector<ValueId> work{value};
  for (int steps = 0; !work.empty() && steps < kMaxSteps; ++steps) {
    const ValueId at = Definition(r.body, work.back());
    work.pop_back();
    if (r.values[Index(at)].Is(flow::Kind::kNumber)) continue;
    if (Tells(r, at, &work)) return true;
  }
  return false;
}

// ctx.out = out.detach(): somebody has thought of the cycle.
bool Theme::IsDetached(const FunctionResult& r, ValueId stored) const {
  const Instr& made = r.body[Definition(r.body, stored)];
  return made.op == Op::kCall && module_.Text(r.body.calls[made.aux].method) == "detach";
}

void Theme::FindOutputs(const FunctionResult& r) {
  const Body& body = r.body;
  std::vector<ValueId> plain;  // outputs without a grad_fn
  for (std::uint32_t i = 0; i < body.instrs.size(); ++i) {
    const Instr& in = body.instrs[i];
    if (in.op == Op::kReturn && in.argc > 0 && !setup_context_) {
      const ValueId value = Definition(body, body.Operand(in, 0));
      outputs_.push_back(value);
      if (body[value].op == Op::kTuple)
        for (const ValueId o : body.Operands(body[value])) outputs_.push_back(Definition(body, o));
    }
    if (in.op != Op::kCall) continue;
    const flow::Call& call = body.calls[in.aux];
    const std::string_view method = module_.Text(call.method);
    for (const flow::Argument& a : body.Arguments(call)) {
      if (method == "save_for_backward") saved_.push_back(a.value);
      if (method == "mark_non_differentiable") plain.push_back(Definition(body, a.value));
    }
  }
  std::erase_if(outputs_, [&](ValueId v) { return std::ranges::find(plain, v) != plain.end(); });
}

bool Theme::HoldsOutput(const FunctionResult& r, ValueId stored) const {
  std::vector<ValueId> parts{Definition(r.body, stored)};
  const Instr& made = r.body[parts[0]];
  if (made.op == Op::kTuple || made.op == Op::kList)
    for (const ValueId o : r.body.Operands(made)) parts.push_back(Definition(r.body, o));
  return std::ranges::any_of(parts, [&](ValueId v) {
    if (setup_context_) return ParameterOf(module_, r.body, v) == 2;
    const bool same = std::ranges::find(outputs_, v) != outputs_.end();
    return same && ParameterOf(module_, r.body, v) == flow::kNoKey;
  });
}

void Theme::Collect(std::string_view method, std::vector<CtxAttributeEvent>* out) {
  const sema::Class& cls = module_[cls_];
  const auto own = std::ranges::find_if(
      cls.methods, [&](const auto& m) { return module_.Text(m.first) == method; });
  if (own == cls.methods.end() || module_.IsForeign(own->second)) return;
  const FunctionResult& r = sight_.world().result(own->second);
  const auto& params = module_[own->second].params;
  if (!r.analyzed || params.empty()) return;
  setup_context_ = method == "setup_context";
  outputs_.clear();
  saved_.clear();
  FindOutputs(r);
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
    const Instr& in = r.body.instrs[i];
    if (in.op != Op::kStore) continue;
    const flow::Slot& slot = r.body.slots[in.aux];
    if (slot.depth != 1 || slot.root != params[0].binding) continue;
    const ValueId stored = r.body.Operand(in, 0);
    attribute_ = slot.attribute;
    if (!IsTensor(r, stored) || IsDetached(r, stored)) continue;
    CtxAttributeEvent e;
    e.function = r.body.function;
    e.span = sight_.Span(in.node);
    e.strength = flow::Strength::kStrong;
    e.in_test = sight_.InTest(r.body.function);
    e.record = i;
    e.where = flow::SlotText(module_, r.body, flow::SlotId{in.aux});
    e.what = sight_.Short(r.body[stored].node);
    e.output = HoldsOutput(r, stored);
    out->push_back(std::move(e));
  }
}

}  // namespace

std::vector<CtxAttributeEvent> CtxAttributes(const Sight& sight) {
  std::vector<CtxAttributeEvent> out;
  const sema::Module& module = sight.module();
  for (std::uint32_t i = 0; i < module.classes().size(); ++i) {
    const sema::ClassId cls{i};
    if (!module.DerivesFrom(cls, kFunctionBases)) continue;
    Theme theme(sight, cls);
    theme.Collect("forward", &out);
    theme.Collect("setup_context", &out);
  }
  std::ranges::sort(out, {}, [](const auto& e) { return e.span.begin; });
  return out;
}

}  // namespace torchleak::patterns
