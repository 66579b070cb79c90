// What becomes of a hook's handle: who removes it, and whether anybody still can.
#include <algorithm>

#include "flow/events_internal.h"

namespace torchleak::flow {
namespace {

bool RunsOnItsOwn(Role role) {
  return role == Role::kForwardHook || role == Role::kForwardPreHook ||
         role == Role::kBackwardHook || role == Role::kTensorHook;
}

}  // namespace

void EventBuilder::Handle(const FunctionResult& r, const HookAdded& h, HookEvent* e) const {
  e->removed = r.removed.test(h.origin);
  e->returned = r.returned.test(h.origin);
  e->handed_on = r.escaped.test(h.origin);
  for (const Store& s : r.stores) {
    if (!s.what.origins.test(h.origin)) continue;
    e->stored = true;
    if (s.origin != kOverflowOrigin) {
      e->removed |= r.removed.test(s.origin);
      e->returned |= r.returned.test(s.origin);
    }
    if (s.attribute != sema::kNoName && world_.AttributeRemoved(s.attribute)) e->removed = true;
  }
  e->dropped = IsStatement(h.node);
  if (e->returned && KeptByOwner(r)) {
    e->returned = false;
    e->stored = true;
    e->kept_by_owner = true;
  }
}

// self.handle = self.register(), in __init__ alone: kept, and removed by nobody but a hook, which
// runs only if a forward comes that way.
bool EventBuilder::KeptByOwner(const FunctionResult& r) const {
  if (!r.within_init || r.has_unknown_callers) return false;
  bool kept = false;
  for (const FunctionResult& other : world_.results()) {
    for (const CallEdge& call : other.calls) {
      if (call.callee != r.body.function) continue;
      const sema::NameId attribute = AttributeGiven(other.body, call.value);
      if (attribute == sema::kNoName || RemovedByName(attribute)) return false;
      kept = true;
    }
  }
  return kept;
}

// The attribute that a value is assigned to.
sema::NameId EventBuilder::AttributeGiven(const Body& body, ValueId value) const {
  for (const Instr& in : body.instrs) {
    if (in.op == Op::kStore && body.Operand(in, 0) == value && body.slots[in.aux].depth > 0)
      return body.slots[in.aux].attribute;
  }
  return sema::kNoName;
}

// A getter that may return None hides that it is a handle which is removed: so any remove() counts,
// and any reader in another file.
bool EventBuilder::RemovedByName(sema::NameId attribute) const {
  if (world_.AttributeRemoved(attribute) ||
      AttributeUses::Has(world_.outside.read, module().Text(attribute)))
    return true;
  for (const FunctionResult& r : world_.results()) {
    if (RunsOnItsOwn(world_.role(r.body.function))) continue;
    for (const Call& call : r.body.calls) {
      if (call.receiver_slot != kNoSlot && call.method != sema::kNoName &&
          module().Text(call.method) == "remove" &&
          r.body.slots[Index(call.receiver_slot)].attribute == attribute)
        return true;
    }
  }
  return false;
}

// A forward hook that assigns the handles to a variable of the enclosing function, which removes
// the newest ones at last:
//   def pre_forward(module, args): nonlocal handles; handles = [l.register_… for l in layers]
// Not so when a hook looks at the variable: it may remove those of the forward before.
bool EventBuilder::ReplacedInEachForward(const FunctionResult& r, const HookAdded& h) const {
  const Role role = world_.role(r.body.function);
  if (role != Role::kForwardHook && role != Role::kForwardPreHook) return false;
  return std::any_of(r.stores.begin(), r.stores.end(), [&](const Store& s) {
    if (s.kind != StoreKind::kSlot || s.slot == kNoSlot || !s.what.origins.test(h.origin))
      return false;
    const Slot& slot = r.body.slots[Index(s.slot)];
    return !slot.is_local && slot.depth == 0 && !ReadByHook(slot.root);
  });
}

bool EventBuilder::ReadByHook(sema::BindingId variable) const {
  const auto& results = world_.results();
  return std::any_of(results.begin(), results.end(), [&](const FunctionResult& r) {
    const SlotId slot = r.body.RootSlot(variable);
    if (slot == kNoSlot || world_.role(r.body.function) == Role::kPlain) return false;
    return std::any_of(r.body.instrs.begin(), r.body.instrs.end(), [&](const Instr& in) {
      return in.op == Op::kLoad && SlotId{in.aux} == slot;
    });
  });
}

// A node of autograd that the function appends to an attribute, to keep its hook alive.
bool EventBuilder::KeptNode(const FunctionResult& r, const HookAdded& h) const {
  if (!h.on_tensor || h.target_slot == kNoSlot) return false;
  return std::any_of(r.stores.begin(), r.stores.end(), [&](const Store& s) {
    if (s.attribute == sema::kNoName || s.stored == kNoValue || s.kind != StoreKind::kGrow)
      return false;
    const Instr& stored = r.body[s.stored];
    return stored.op == Op::kLoad && SlotId{stored.aux} == h.target_slot;
  });
}

}  // namespace torchleak::flow
