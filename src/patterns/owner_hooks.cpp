// The tensor is an attribute of `self`, or a variable that also goes into one. Parameters are left
// alone: they live as long as their module.
#include "patterns/owner_hooks.h"

#include <algorithm>
#include <utility>

#include "flow/world.h"
#include "patterns/captures.h"
#include "patterns/definition.h"
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

// clip(model(x)): some caller in this file passes what it has computed, and none a parameter.
bool IsGivenOutputs(const Sight& sight, const FunctionResult& r, BindingId parameter) {
  const auto& params = sight.module()[r.body.function].params;
  bool any = false;
  for (const FunctionResult& caller : sight.world().results()) {
    if (!caller.analyzed) continue;
    for (const Call& call : caller.body.calls) {
      const flow::World::Target target = sight.world().Resolve(caller.body, call);
      if (target.function != r.body.function) continue;
      std::size_t position = target.bound ? 1 : 0;
      for (const flow::Argument& a : caller.body.Arguments(call)) {
        if (a.stars != 0 || a.keyword != sema::kNoName) return false;
        const std::size_t at = position++;
        if (at >= params.size() || params[at].binding != parameter) continue;
        const flow::Value& value = caller.values[Index(a.value)];
        const Op made = caller.body[Definition(caller.body, a.value)].op;
        if (made != Op::kCall && made != Op::kBinary) return false;
        if (!value.Is(flow::Kind::kTensor) || value.Has(flow::kBareParam) || value.origins.none())
          return false;
        any = true;
      }
    }
  }
  return any;
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
  if (!sight.module()[tensor.root].is_param && !IsMadeTensor(sight, r, slot)) return false;
  if (self && IsPutOnSelf(sight, r, slot)) return true;
  // Its own tensor, unless that is a parameter, which lives on anyhow.
  if (sight.module()[tensor.root].is_param) {
    if (!IsGivenOutputs(sight, r, tensor.root)) return false;
  } else if (r.values[Index(site.call->receiver)].Has(flow::kBareParam)) {
    return false;
  }
  e->owner = e->tensor;
  for (FunctionId f : captures.Nested(r.body, hook)) {
    for (BindingId b : captures.Of(f))
      if (b == tensor.root && sight.module()[b].assignments <= 1) return true;
  }
  return false;
}

// Is the receiver `self`, a part of it, or the variable of a loop over parts of it?
bool IsOwnModule(const Sight& sight, const FunctionResult& r, const CallSite& site) {
  if (site.call->receiver_slot == flow::kNoSlot) return false;
  const flow::Slot& slot = r.body.slots[Index(site.call->receiver_slot)];
  if (sight.world().SelfClass(slot.root) != sema::kNoClass) return true;
  const flow::LoopId loop = sight.LoopAround(r, site.value);
  if (loop == flow::kNoLoop || slot.depth > 0) return false;
  const syntax::NodeId over = r.body.loops[Index(loop)].iterable;
  return over != syntax::kNoNode && sight.Text(over).find("self.") != std::string_view::npos &&
         sight.Refers(sight.TargetOf(r.body, loop), slot.root);
}

// Objects of the class are made in a loop of this file: one model a trial.
bool IsMadeInLoop(const Sight& sight, sema::ClassId cls, text::Span* at) {
  for (const FunctionResult& r : sight.world().results()) {
    if (!r.analyzed) continue;
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      if (r.body.instrs[i].op != Op::kCall || r.body.LoopOf(ValueId{i}) == flow::kNoLoop) continue;
      const Call& call = r.body.calls[r.body.instrs[i].aux];
      if (sight.world().Resolve(r.body, call).class_id != cls) continue;
      *at = sight.Span(call.node);
      return true;
    }
  }
  return false;
}

// self.net.register_forward_hook(self.save) in the constructor of a module that is made again and
// again: module, hook and method hold each other, and each model waits for the garbage collector.
void OnModules(const Sight& sight, std::vector<OwnerHook>* events) {
  const Captures captures(sight);
  for (std::string_view method : {"register_forward_hook", "register_forward_pre_hook",
                                  "register_full_backward_hook", "register_backward_hook"}) {
    for (const CallSite& site : sight.calls().OfMethod(method)) {
      const FunctionResult& r = *site.r;
      const sema::Function& f = sight.module()[r.body.function];
      if (f.class_id == sema::kNoClass || sight.module().Text(f.name) != "__init__") continue;
      if (!sight.world().IsModuleClass(f.class_id) || site.call->argc == 0) continue;
      if (sight.Text(sight.module()[f.class_id].node).find(".remove()") != std::string_view::npos)
        continue;
      bool bound = false;
      const ValueId hook = r.body.Arguments(*site.call)[0].value;
      if (!IsOwnModule(sight, r, site) || !captures.RefersToSelf(r, hook, &bound)) continue;
      text::Span made;
      if (!IsMadeInLoop(sight, f.class_id, &made)) continue;
      OwnerHook e;
      Place(sight, site, &e);
      e.tensor = flow::SlotText(sight.module(), r.body, site.call->receiver_slot);
      e.owner = "self";
      e.on_module = true;
      e.flow.push_back({e.span, "the module holds the hook, and the hook `self`"});
      e.flow.push_back({made, "made here again and again"});
      events->push_back(std::move(e));
    }
  }
}

}  // namespace

std::vector<OwnerHook> HooksOnOwners(const Sight& sight) {
  std::vector<OwnerHook> events;
  OnModules(sight, &events);
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
