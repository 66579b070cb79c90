// Hooks: what they keep, and how often they are registered.
#include <algorithm>
#include <array>

#include "flow/events_internal.h"

namespace torchleak::flow {

// Does the hook put something into what it captures: a list, a dict, an attribute of its object?
// The module that it is called for is outside too, unless that is the owner's own part.
bool EventBuilder::CollectsOutside(const Body& body, bool on_own_part) const {
  for (const Instr& in : body.instrs) {
    if (in.op == Op::kStore && in.aux8 != 4 && body.slots[in.aux].depth > 0) {
      const sema::BindingId root = body.slots[in.aux].root;
      const bool argument = module()[root].is_param && world_.SelfClass(root) == sema::kNoClass;
      if (!argument || !on_own_part) return true;
    }
    const ValueId base = in.op == Op::kSetItem ? body.Operand(in, 0)
                         : in.op == Op::kCall && body.calls[in.aux].argc > 0
                             ? body.calls[in.aux].receiver
                             : kNoValue;
    if (base == kNoValue) continue;
    ValueId at = base;
    while (body[at].op == Op::kGetItem) at = body.Operand(body[at], 0);
    if (body[at].op != Op::kLoad) continue;
    const Slot& s = body.slots[body[at].aux];
    if (in.op == Op::kSetItem && (!s.is_local || s.depth > 0)) return true;
    if (in.op != Op::kCall) continue;
    std::string_view m = module().Text(body.calls[in.aux].method);
    const bool adds = m == "append" || m == "extend" || m == "add" || m == "update" ||
                      m == "setdefault" || m == "put" || m == "__setitem__";
    if (adds && (!s.is_local || s.depth > 0)) return true;
  }
  return false;
}

// Is the hook on (a part of) a module that this call itself makes and keeps in a local?
bool EventBuilder::MadeHere(const FunctionResult& r, const HookAdded& h) const {
  const Instr& call = r.body[h.value];
  ValueId at = call.op == Op::kCall ? r.body.calls[call.aux].receiver : kNoValue;
  while (at != kNoValue && (r.body[at].op == Op::kGetItem || r.body[at].op == Op::kGetAttr))
    at = r.body.Operand(r.body[at], 0);
  if (at == kNoValue || r.body[at].op != Op::kLoad) return false;
  SlotId slot{r.body[at].aux};
  slot = r.body.RootSlot(OwnerOf(r.body, r.body.slots[Index(slot)].root));
  if (slot == kNoSlot) return false;
  const Slot& root = r.body.slots[Index(slot)];
  if (!root.is_local || module()[root.root].is_param || module()[root.root].captured ||
      r.body.function == sema::FunctionId{0})
    return false;
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
    const Instr& in = r.body.instrs[i];
    if (in.op != Op::kStore || SlotId{in.aux} != slot) continue;
    const Value& made = r.values[Index(r.body.Operand(in, 0))];
    if (!made.Is(Kind::kModule) || made.ref == kNoRef || (made.origins & r.returned).any())
      return false;
  }
  return true;
}

// def dress(module): …; return module: the hook belongs to what the caller gets back.
bool EventBuilder::GivesBack(const FunctionResult& r, SlotId slot) const {
  return slot != kNoSlot &&
         std::any_of(r.body.instrs.begin(), r.body.instrs.end(), [&](const Instr& in) {
           if (in.op != Op::kReturn) return false;
           const Instr& value = r.body[r.body.Operand(in, 0)];
           return value.op == Op::kLoad && SlotId{value.aux} == slot;
         });
}

// Over modules of one model it is one registration; over batches it piles up.
bool EventBuilder::PilesUp(const FunctionResult& r, const HookAdded& h, LoopId at) const {
  static constexpr std::array<std::string_view, 7> kStructure{
      "modules(", "children(", "parameters(", "layer", "block", "module", "items()"};
  const Loop& loop = r.body.loops[Index(at)];
  if (loop.is_short || LeavesLoop(r.body, h.value, at)) return false;
  std::string_view over =
      loop.iterable == syntax::kNoNode ? std::string_view{} : Text(loop.iterable);
  const bool structural = std::any_of(kStructure.begin(), kStructure.end(),
                                      [&](auto word) { return over.find(word) != over.npos; });
  if (structural || h.target_slot == kNoSlot) return !structural;
  const sema::BindingId root = OwnerOf(r.body, r.body.slots[Index(h.target_slot)].root);
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {  // a target that is made inside
    const Instr& in = r.body.instrs[i];
    if (in.op == Op::kStore && r.body.slots[in.aux].root == root && in.aux8 != 4 &&
        r.body.Within(r.body.LoopOf(ValueId{i}), at))
      return false;
  }
  return true;
}

// Whose part is it that the variable names: model, of `for p in model.parameters()` and of
// `layer = model.layer4`? The variable itself when it is made in another way.
sema::BindingId EventBuilder::OwnerOf(const Body& body, sema::BindingId root) const {
  static constexpr std::array<std::string_view, 6> kParts{
      "modules", "children", "parameters", "named_modules", "named_children", "named_parameters"};
  for (int depth = 0; depth < 4; ++depth) {
    ValueId made = kNoValue;
    for (const Instr& in : body.instrs) {
      if (in.op != Op::kStore || body.slots[in.aux].root != root || in.aux8 == 4) continue;
      if (made != kNoValue) return root;
      made = body.Operand(in, 0);
    }
    if (made == kNoValue) return root;
    bool part = false;
    for (int steps = 0; steps < 16; ++steps) {
      const Instr& in = body[made];
      if (in.op == Op::kUnpack || in.op == Op::kIterate || in.op == Op::kGetAttr) {
        part |= in.op == Op::kGetAttr;
        made = body.Operand(in, 0);
        continue;
      }
      if (in.op != Op::kCall || body.calls[in.aux].receiver == kNoValue) break;
      const std::string_view method = module().Text(body.calls[in.aux].method);
      if (std::find(kParts.begin(), kParts.end(), method) == kParts.end()) break;
      part = true;
      made = body.calls[in.aux].receiver;
    }
    if (body[made].op != Op::kLoad) return root;
    const Slot& slot = body.slots[body[made].aux];
    if ((!part && slot.depth == 0) || slot.root == root) return root;
    root = slot.root;
  }
  return root;
}

// What the hook keeps of what it sees.
void EventBuilder::WhatItKeeps(const FunctionResult& r, const HookAdded& h, HookEvent* e) const {
  const bool own_part = OverOwnModules(r, h);
  for (sema::FunctionId f : h.functions) {
    const FunctionResult& hook = world_.result(f);
    const bool backward = world_.role(f) == Role::kBackwardHook;
    for (const Store& s : hook.stores) {
      for (std::size_t i = 0; backward && i < hook.origins.size(); ++i) {
        e->keeps_output |= s.what.origins.test(i) &&  // gradients: no graph, but kept all the same
                           hook.origins[i].kind == OriginKind::kParam && s.sinks != 0 &&
                           hook.origins[i].ref + 2 >= module()[f].params.size();
      }
      Strength strength{};
      bool in_eval = false;
      e->keeps_output |= GraphOf(hook, s.what.origins, &strength, &in_eval) != Graph::kNone;
    }
    e->captures |= CollectsOutside(hook.body, own_part);
  }
}

// Is the object whose constructor registers the hook made in a loop?
void EventBuilder::OwnerMadeInLoop(const FunctionResult& r, HookEvent* e) const {
  const sema::ClassId cls = module()[r.body.function].class_id;
  if (cls == sema::kNoClass || !e->in_init || e->on_own_module) return;
  for (const FunctionResult& other : world_.results()) {
    for (const CallEdge& c : other.calls) {
      const bool made = e->kept_by_owner && module()[c.callee].class_id == cls &&
                        FunctionName(c.callee) == "__init__";
      if ((c.callee != r.body.function && !made) || other.body.LoopOf(c.value) == kNoLoop) continue;
      e->owner_made_in_loop = true;
      e->flow.push_back({Span(other.body[c.value].node), "an object is made here, in a loop"});
    }
  }
}

void EventBuilder::Hooks() {
  for (const FunctionResult& r : world_.results()) {
    if (!r.analyzed) continue;
    for (const HookAdded& h : r.hooks) {
      HookEvent e;
      e.record = static_cast<std::uint32_t>(&h - r.hooks.data());
      if (HookOne(r, h, &e)) out_->hooks.push_back(std::move(e));
    }
  }
}

// Under a test of nothing but a parameter: `if collect_grads:`, `if grads is not None:`.
bool EventBuilder::AskedFor(const FunctionResult& r, std::uint32_t guard) const {
  const syntax::Tree& tree = module().tree();
  for (std::uint32_t g = guard; g != kNoKey; g = r.body.guards[g].parent) {
    syntax::NodeId node = r.body.guards[g].condition;
    if (r.body.guards[g].negated) continue;
    if (tree.kind(node) == syntax::Kind::kComparisonOperator &&
        Text(node).find("None") != std::string_view::npos)
      node = tree.FirstChild(node);
    if (node == syntax::kNoNode || tree.kind(node) != syntax::Kind::kIdentifier) continue;
    const sema::BindingId b = module().BindingOf(node);
    if (b != sema::kNoBinding && module()[b].is_param && world_.SelfClass(b) == sema::kNoClass)
      return true;
  }
  return false;
}

// False when the module dies with the call, and its hooks with it, or when it is registered once.
bool EventBuilder::HookOne(const FunctionResult& r, const HookAdded& h, HookEvent* e) const {
  const std::string_view name = FunctionName(r.body.function);
  e->function = r.body.function;
  e->span = Span(h.node);
  e->strength = Strength::kStrong;
  e->in_test = InTest(r.body.function);
  if (OnceByFlag(r, h.value, 2)) return false;
  Handle(r, h, e);
  for (LoopId l = r.body.LoopOf(h.value); l != kNoLoop; l = r.body.loops[Index(l)].parent)
    e->in_loop |= PilesUp(r, h, l);
  if (!e->in_loop && (MadeHere(r, h) || GivesBack(r, h.target_slot))) return false;
  e->in_init = name == "__init__" || name == "__post_init__" || name.starts_with("setup") ||
               name.starts_with("_init") || r.within_init;
  e->replaced = ReplacedInEachForward(r, h);
  e->in_forward = e->replaced || world_.role(r.body.function) == Role::kForward;
  e->on_kept_node = KeptNode(r, h);
  e->on_short_lived_tensor =
      h.on_tensor && (h.target_is_local || !h.target_is_param) && !e->on_kept_node;
  WhatItKeeps(r, h, e);
  e->row = r.body.block_of[Index(h.value)];
  e->opt_in = AskedFor(r, r.body.BlockOf(h.value).guard);
  if (h.target_slot != kNoSlot) {
    const sema::ClassId cls = world_.SelfClass(r.body.slots[Index(h.target_slot)].root);
    e->on_own_module = (cls != sema::kNoClass && world_.IsModuleClass(cls)) || BecomesPart(r, h);
  }
  OwnerMadeInLoop(r, e);
  e->flow.push_back({e->span, e->dropped    ? "the handle is thrown away here"
                              : e->replaced ? "registered here, once more in each forward"
                                            : "registered here, and never removed"});
  const LoopId loop = r.body.LoopOf(h.value);
  if (e->in_loop && loop != kNoLoop) {
    e->flow.push_back(
        {HeaderSpan(r.body.loops[Index(loop)].node), "once more in every turn of this loop"});
  }
  return true;
}

}  // namespace torchleak::flow
