// Hooks that cannot pile up: registered at most once for each object or loop, or on modules that
// live and die with the object that registers them.
#include <algorithm>

#include "flow/events_internal.h"

namespace torchleak::flow {
namespace {

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '(')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == ')')) text.remove_suffix(1);
  return text;
}

bool Drop(std::string_view suffix, std::string_view* text) {
  if (!text->ends_with(suffix)) return false;
  text->remove_suffix(suffix.size());
  return true;
}

// The attribute of `self` that a test finds unset: x in `not self.x`, `self.x is None`, `not
// hasattr(self, "x")`. With `holds` false the test is one that fails: `self.x`, `self.x is not
// None`.
std::string_view UnsetFlag(std::string_view test, bool holds) {
  test = Trim(test);
  bool set = true;
  if (test.starts_with("not ")) {
    test.remove_prefix(4);
    test = Trim(test);
    set = false;
  } else if (Drop(" is None", &test) || Drop(" == None", &test) || Drop(" is False", &test)) {
    set = false;
  } else if (!Drop(" is not None", &test)) {
    Drop(" is True", &test);
  }
  if (set == holds) return {};
  if (test.starts_with("hasattr(self, ")) {
    test.remove_prefix(14);
    if (test.size() < 3 || test.back() != test.front()) return {};
    return test.substr(1, test.size() - 2);
  }
  if (!test.starts_with("self.")) return {};
  test.remove_prefix(5);
  return test.find_first_of(".[( ") == test.npos ? test : std::string_view{};
}

}  // namespace

// Does the class set the flag where it works, and unset it nowhere but in its constructor?
bool EventBuilder::SetForGood(sema::ClassId cls, std::string_view flag) const {
  bool set = false;
  for (const FunctionResult& r : world_.results()) {
    if (module()[r.body.function].class_id != cls || FunctionName(r.body.function) == "__init__")
      continue;
    for (const Instr& in : r.body.instrs) {
      if (in.op != Op::kStore && in.op != Op::kDelete) continue;
      const Slot& slot = r.body.slots[in.aux];
      if (slot.depth != 1 || world_.SelfClass(slot.root) == sema::kNoClass ||
          module().Text(slot.attribute) != flag)
        continue;
      if (in.op == Op::kDelete) return false;
      const Op what = r.body[r.body.Operand(in, 0)].op;
      if (what == Op::kFalse || what == Op::kNone) return false;
      set = true;
    }
  }
  return set;
}

// if not self.registered: … self.registered = True, around this place or around all calls of its
// function; or the function returns before it when the flag is set.
bool EventBuilder::OnceByFlag(const FunctionResult& r, ValueId at, int depth) const {
  const Body& body = r.body;
  const sema::ClassId cls = module()[body.function].class_id;
  if (cls == sema::kNoClass) return false;
  auto tells = [&](std::uint32_t g, bool under) {
    const Guard& guard = body.guards[g];
    const bool holds = under != guard.negated;
    std::string_view rest = Text(guard.condition);
    while (!rest.empty()) {  // what holds altogether holds in each part
      const std::size_t cut = holds ? rest.find(" and ") : rest.npos;
      const std::string_view flag = UnsetFlag(rest.substr(0, cut), holds);
      if (!flag.empty() && SetForGood(cls, flag)) return true;
      rest = cut == rest.npos ? std::string_view{} : rest.substr(cut + 5);
    }
    return false;
  };
  for (std::uint32_t g = body.BlockOf(at).guard; g != kNoKey; g = body.guards[g].parent)
    if (tells(g, true)) return true;
  for (std::uint32_t i = 0; i < Index(at); ++i) {
    if (body.instrs[i].op != Op::kReturn) continue;
    const std::uint32_t g = body.BlockOf(ValueId{i}).guard;
    if (g != kNoKey && body.guards[g].parent == kNoKey && body.guards[g].loop == kNoLoop &&
        tells(g, false))
      return true;
  }
  if (depth == 0 || r.has_unknown_callers) return false;
  bool called = false;
  for (const FunctionResult& caller : world_.results()) {
    for (const CallEdge& call : caller.calls) {
      if (call.callee != body.function) continue;
      if (!OnceByFlag(caller, call.value, depth - 1)) return false;
      called = true;
    }
  }
  return called;
}

// register(); break: the loop has no further turn.
bool EventBuilder::LeavesLoop(const Body& body, ValueId at, LoopId loop) {
  std::vector<bool> seen(body.blocks.size());
  std::vector<std::uint32_t> work{body.block_of[Index(at)]};
  while (!work.empty()) {
    const Block& block = body.blocks[work.back()];
    work.pop_back();
    for (const BlockId next : block.successors) {
      const Block& to = body.blocks[Index(next)];
      if (!body.Within(to.loop, loop) || seen[Index(next)]) continue;
      if (to.is_loop_head && to.loop == loop) return false;
      seen[Index(next)] = true;
      work.push_back(Index(next));
    }
  }
  return true;
}

// Is it a local that a constructor makes, and keeps as a part of its module?
//   net = resnet50(); net.layer1.register_forward_hook(…); self.net = net
bool EventBuilder::BecomesPart(const FunctionResult& r, const HookAdded& h) const {
  const Body& body = r.body;
  if (h.target_slot == kNoSlot || FunctionName(body.function) != "__init__") return false;
  SlotId root = h.target_slot;
  while (body.slots[Index(root)].depth > 0) root = body.slots[Index(root)].parent;
  if (!body.slots[Index(root)].is_local) return false;
  auto is_root = [&](ValueId value) {
    return body[value].op == Op::kLoad && SlotId{body[value].aux} == root;
  };
  bool handed_in = false, part = false;
  const std::uint32_t guard = body.BlockOf(h.value).guard;
  for (std::uint32_t i = 0; i < body.instrs.size(); ++i) {
    const Instr& in = body.instrs[i];
    if (in.op != Op::kStore) continue;
    const Slot& slot = body.slots[in.aux];
    part |= slot.depth == 1 && world_.SelfClass(slot.root) != sema::kNoClass &&
            world_.IsModuleClass(world_.SelfClass(slot.root)) && is_root(body.Operand(in, 0));
    handed_in |= SlotId{in.aux} == root && r.values[Index(body.Operand(in, 0))].Has(kBareParam) &&
                 GuardCovers(body, body.BlockOf(ValueId{i}).guard, guard);
  }
  return part && !handed_in && !module()[body.slots[Index(root)].root].is_param;
}

// for m in self.modules(): m.register_…
bool EventBuilder::OverOwnModules(const FunctionResult& r, const HookAdded& h) const {
  const Body& body = r.body;
  if (h.target_slot == kNoSlot) return false;
  for (const Instr& in : body.instrs) {
    if (in.op != Op::kStore || SlotId{in.aux} != h.target_slot) continue;
    ValueId at = body.Operand(in, 0);
    while (body[at].op == Op::kUnpack || body[at].op == Op::kIterate)
      at = body.Operand(body[at], 0);
    if (body[at].op != Op::kCall) return false;
    const Call& call = body.calls[body[at].aux];
    const std::string_view name = CalleeName(call);
    if (!name.ends_with("modules") && !name.ends_with("children")) return false;
    if (call.receiver_slot == kNoSlot) return false;
    const Slot& owner = body.slots[Index(call.receiver_slot)];
    const sema::ClassId cls = world_.SelfClass(owner.root);  // a mixin may not look like a module
    return cls != sema::kNoClass && (owner.depth == 0 || world_.IsModuleClass(cls));
  }
  return false;
}

}  // namespace torchleak::flow
