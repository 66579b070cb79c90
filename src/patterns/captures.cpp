// A nested function captures the variables that its body uses and another function binds. `self` is
// known by the class of whose method it is the receiver.
#include "patterns/captures.h"

#include <algorithm>
#include <utility>

#include "flow/world.h"
#include "patterns/words.h"

namespace torchleak::patterns {

using flow::Body;
using flow::Call;
using flow::FunctionResult;
using flow::Instr;
using flow::Op;
using flow::SlotId;
using flow::Strength;
using flow::ValueId;
using sema::BindingId;
using sema::FunctionId;
using sema::Index;

std::vector<BindingId> Captures::Of(FunctionId id) const {
  std::vector<BindingId> out;
  for (const auto& [binding, slot] : sight_.world().result(id).body.roots) {
    const sema::Scope& scope = module_[module_[binding].scope];
    if (scope.function != id && scope.kind != sema::ScopeKind::kModule &&
        scope.kind != sema::ScopeKind::kClass)
      out.push_back(binding);
  }
  return out;
}

std::vector<FunctionId> Captures::Nested(const Body& body, ValueId value) const {
  if (value == flow::kNoValue) return {};
  const Instr& in = body[value];
  FunctionId f = sema::kNoFunction;
  if (in.op == Op::kFunction) f = FunctionId{in.aux};
  if (in.op == Op::kLoad && body.slots[in.aux].depth == 0) {
    const sema::Binding& b = module_[body.slots[in.aux].root];
    f = b.function;
    if (f == sema::kNoFunction && b.sole_value != syntax::kNoNode &&
        module_.tree().kind(b.sole_value) == syntax::Kind::kLambda)
      f = module_.FunctionOf(b.sole_value);
  }
  if (f == sema::kNoFunction || module_.IsForeign(f) || module_[f].class_id != sema::kNoClass)
    return {};
  return {f};
}

bool Captures::RefersToSelf(const FunctionResult& r, ValueId value, bool* bound) const {
  std::vector<ValueId> work{value};
  for (int steps = 0; !work.empty() && steps < 32; ++steps) {
    const ValueId v = work.back();
    work.pop_back();
    if (v == flow::kNoValue) continue;
    const Instr& in = r.body[v];
    if (in.op == Op::kCall) {
      const Call& call = r.body.calls[in.aux];
      if (LastName(CalledText(sight_, call)) != "partial") continue;
      for (const auto& a : r.body.Arguments(call)) {
        if (IsSelf(r.body, a.value)) return true;
        work.push_back(a.value);
      }
      continue;
    }
    if (IsMethodOfSelf(r.body, v)) {
      *bound = true;
      return true;
    }
    for (FunctionId f : Nested(r.body, v)) {
      for (BindingId b : Of(f))
        if (sight_.world().SelfClass(b) != sema::kNoClass) return true;
    }
    if (in.op == Op::kSelect || in.op == Op::kDict || in.op == Op::kList || in.op == Op::kTuple)
      for (ValueId o : r.body.Operands(in)) work.push_back(o);
  }
  return false;
}

bool Captures::IsSelf(const Body& body, ValueId value) const {
  if (value == flow::kNoValue || body[value].op != Op::kLoad) return false;
  const flow::Slot& slot = body.slots[body[value].aux];
  return slot.depth == 0 && sight_.world().SelfClass(slot.root) != sema::kNoClass;
}

bool Captures::IsMethodOfSelf(const Body& body, ValueId value) const {
  if (body[value].op != Op::kLoad) return false;
  const flow::Slot& slot = body.slots[body[value].aux];
  if (slot.depth != 1) return false;
  const sema::ClassId cls = sight_.world().SelfClass(slot.root);
  if (cls == sema::kNoClass) return false;
  const FunctionId f = module_.FindMethod(cls, slot.attribute);
  return f != sema::kNoFunction && !module_[f].is_static && !module_[f].is_property &&
         !module_[f].is_classmethod;
}

}  // namespace torchleak::patterns
