// Hooks: what becomes of their handles, and how often they are registered.
#include <algorithm>
#include <bit>

#include "flow/events_internal.h"

namespace torchleak::flow {

// Does the hook put something into what it captures: a list, a dict, an attribute of its object?
bool EventBuilder::CollectsOutside(const Body& body) const {
  for (const Instr& in : body.instrs) {
    if (in.op == Op::kStore && in.aux8 != 4 && body.slots[in.aux].depth > 0) return true;
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
                      m == "setdefault" || m == "put";
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
  while (r.body.slots[Index(slot)].depth > 0) slot = r.body.slots[Index(slot)].parent;
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

void EventBuilder::Hooks() {
  const auto& results = world_.results();
  for (const FunctionResult& r : results) {
    if (!r.analyzed) continue;
    const sema::Function& fn = module()[r.body.function];
    std::string_view name = FunctionName(r.body.function);
    for (const HookAdded& h : r.hooks) {
      HookEvent e;
      e.function = r.body.function;
      e.span = Span(h.node);
      e.strength = Strength::kStrong;
      e.in_test = InTest(r.body.function);
      e.removed = r.removed.test(h.origin);
      e.returned = r.returned.test(h.origin);
      e.handed_on = r.escaped.test(h.origin);
      for (const Store& s : r.stores) {
        if (!s.what.origins.test(h.origin)) continue;
        e.stored = true;
        if (s.origin != kOverflowOrigin) {
          e.removed |= r.removed.test(s.origin);
          e.returned |= r.returned.test(s.origin);
        }
        if (s.attribute != sema::kNoName && world_.AttributeRemoved(s.attribute)) e.removed = true;
      }
      e.dropped = IsStatement(h.node);
      e.in_loop = false;
      // Over modules of one model it is one registration; over batches it piles up.
      for (LoopId l = r.body.LoopOf(h.value); l != kNoLoop; l = r.body.loops[Index(l)].parent) {
        const Loop& loop = r.body.loops[Index(l)];
        std::string_view over =
            loop.iterable == syntax::kNoNode ? std::string_view{} : Text(loop.iterable);
        const bool structural =
            over.find("modules(") != over.npos || over.find("children(") != over.npos ||
            over.find("parameters(") != over.npos || over.find("layer") != over.npos ||
            over.find("block") != over.npos || over.find("module") != over.npos || loop.is_short ||
            over.find("items()") != over.npos;
        bool target_made_inside = false;
        if (h.target_slot != kNoSlot) {
          const Slot& slot = r.body.slots[Index(h.target_slot)];
          for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
            const Instr& in = r.body.instrs[i];
            if (in.op == Op::kStore && r.body.slots[in.aux].root == slot.root && in.aux8 != 4 &&
                r.body.Within(r.body.LoopOf(ValueId{i}), l)) {
              target_made_inside = true;
            }
          }
        }
        if (!structural && !target_made_inside) e.in_loop = true;
      }
      e.in_init = name == "__init__" || name == "__post_init__" || name.starts_with("setup") ||
                  name.starts_with("_init") || r.within_init;
      e.in_forward = world_.role(r.body.function) == Role::kForward;
      e.on_short_lived_tensor = h.on_tensor && (h.target_is_local || !h.target_is_param);
      for (sema::FunctionId f : h.functions) {
        const FunctionResult& hook = world_.result(f);
        for (const Store& s : hook.stores) {
          Strength strength{};
          bool in_eval = false;
          if (world_.role(f) ==
              Role::kBackwardHook) {  // gradients: no graph, but kept all the same
            for (std::size_t i = 0; i < hook.origins.size(); ++i) {
              e.keeps_output |= s.what.origins.test(i) &&
                                hook.origins[i].kind == OriginKind::kParam && s.sinks != 0 &&
                                hook.origins[i].ref + 2 >= module()[f].params.size();
            }
          }
          e.keeps_output |= GraphOf(hook, s.what.origins, &strength, &in_eval) != Graph::kNone;
        }
        e.captures |= CollectsOutside(hook.body);
      }
      if (!e.in_loop && (MadeHere(r, h) || GivesBack(r, h.target_slot)))
        continue;  // the module dies with the call, and its hooks with it
      if (h.target_slot != kNoSlot) {
        sema::ClassId cls = world_.SelfClass(r.body.slots[Index(h.target_slot)].root);
        e.on_own_module = cls != sema::kNoClass && world_.IsModuleClass(cls);
      }
      if (fn.class_id != sema::kNoClass && e.in_init) {
        for (const FunctionResult& other : results) {
          for (const CallEdge& c : other.calls) {
            if (!e.on_own_module && c.callee == r.body.function &&
                other.body.LoopOf(c.value) != kNoLoop) {
              e.owner_made_in_loop = true;
              e.flow.push_back(
                  {Span(other.body[c.value].node), "an object is made here, in a loop"});
            }
          }
        }
      }
      e.flow.push_back({e.span, e.dropped ? "the handle is thrown away here"
                                          : "registered here, and never removed"});
      LoopId loop = r.body.LoopOf(h.value);
      if (e.in_loop && loop != kNoLoop)
        e.flow.push_back(
            {HeaderSpan(r.body.loops[Index(loop)].node), "once more in every turn of this loop"});
      out_->hooks.push_back(std::move(e));
    }
  }
}

}  // namespace torchleak::flow
