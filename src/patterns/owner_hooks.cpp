// The tensor is an attribute of `self`, or a variable that also goes into one. Parameters are left
// alone: they live as long as their module.
#include "patterns/owner_hooks.h"

#include <algorithm>
#include <utility>

#include "flow/world.h"
#include "patterns/captures.h"
#include "patterns/uses.h"
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

namespace {

// The innermost slot of `self.cache.grad_fn` without its last part; the slot itself else.
SlotId TensorSlot(const Sight& sight, const Body& body, SlotId slot) {
  if (slot == flow::kNoSlot || body.slots[Index(slot)].depth == 0) return slot;
  const flow::Slot& s = body.slots[Index(slot)];
  return sight.module().Text(s.attribute) == "grad_fn" ? s.parent : slot;
}

// Is what this variable holds also put on `self`?
bool IsPutOnSelf(const Sight& sight, const FunctionResult& r, SlotId slot) {
  const Uses uses(sight.module(), r);
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
    const Instr& in = r.body.instrs[i];
    if (in.op != Op::kStore || SlotId{in.aux} != slot || r.body.Operand(in, 0) == flow::kNoValue)
      continue;
    for (ValueId at : uses.Same(r.body.Operand(in, 0))) {
      for (ValueId by : uses.Of(at)) {
        if (r.body[by].op != Op::kStore) continue;
        const flow::Slot& to = r.body.slots[r.body[by].aux];
        if (to.depth == 1 && sight.world().SelfClass(to.root) != sema::kNoClass) return true;
      }
    }
  }
  return false;
}

// self.weight = nn.Parameter(…), somewhere in the file.
bool IsParameter(const Sight& sight, sema::NameId attribute) {
  for (const FunctionResult& r : sight.world().results()) {
    for (const Instr& in : r.body.instrs) {
      if (in.op != Op::kStore || r.body.slots[in.aux].attribute != attribute) continue;
      const ValueId value = r.body.Operand(in, 0);
      if (value == flow::kNoValue || r.body[value].op != Op::kCall) continue;
      const std::string_view made = CalledText(sight, r.body.calls[r.body[value].aux]);
      if (LastName(made).find("Parameter") != made.npos) return true;
    }
  }
  return false;
}

// A variable that gets the result of a computation here: no element of what is there anyhow, such
// as the parameters of a module, and no node of the graph.
bool IsMadeTensor(const Sight& sight, const FunctionResult& r, SlotId slot) {
  return std::ranges::any_of(r.body.instrs, [&](const Instr& in) {
    if (in.op != Op::kStore || SlotId{in.aux} != slot) return false;
    const ValueId value = r.body.Operand(in, 0);
    if (value == flow::kNoValue) return false;
    const Op op = r.body[value].op;
    if (op == Op::kBinary) return true;
    if (op == Op::kCall &&  // torch._C._current_autograd_node()
        HoldsAny(LastName(CalledText(sight, r.body.calls[r.body[value].aux])), {"node"}))
      return false;
    return op == Op::kCall && (r.values[Index(value)].Is(flow::Kind::kTensor) ||
                               (r.evidence.of_value[Index(value)] & facts::kIsTensor) != 0);
  });
}

bool Owns(const Sight& sight, const CallSite& site, OwnerHook* e) {
  const FunctionResult& r = *site.r;
  const Captures captures(sight);
  if (site.call->argc == 0 || site.call->receiver == flow::kNoValue) return false;
  const SlotId slot = TensorSlot(sight, r.body, site.call->receiver_slot);
  if (slot == flow::kNoSlot) return false;
  const flow::Slot& tensor = r.body.slots[Index(slot)];
  const ValueId hook = r.body.Arguments(*site.call)[0].value;
  e->tensor = flow::SlotText(sight.module(), r.body, slot);
  bool bound = false;
  const bool self = captures.RefersToSelf(r, hook, &bound);
  e->owner = "self";
  if (tensor.depth > 0)
    return tensor.depth == 1 && self && sight.world().SelfClass(tensor.root) != sema::kNoClass &&
           !IsParameter(sight, tensor.attribute);
  if (!IsMadeTensor(sight, r, slot)) return false;
  if (self && IsPutOnSelf(sight, r, slot)) return true;
  // Its own tensor, unless that is a parameter, which lives on anyhow.
  if (r.values[Index(site.call->receiver)].Has(flow::kBareParam)) return false;
  if (sight.module()[tensor.root].is_param) return false;
  e->owner = e->tensor;
  for (FunctionId f : captures.Nested(r.body, hook)) {
    for (BindingId b : captures.Of(f))
      if (b == tensor.root && sight.module()[b].assignments == 1) return true;
  }
  return false;
}

}  // namespace

std::vector<OwnerHook> HooksOnOwners(const Sight& sight) {
  std::vector<OwnerHook> events;
  if (!sight.Mentions("register_hook")) return events;
  for (const CallSite& site : sight.calls().OfMethod("register_hook")) {
    OwnerHook e;
    if (!Owns(sight, site, &e)) continue;
    Place(sight, site, &e);
    e.flow.push_back({e.span, "the tensor holds the hook, the hook `" + e.owner + "`"});
    events.push_back(std::move(e));
  }
  std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
  return events;
}

}  // namespace torchleak::patterns
