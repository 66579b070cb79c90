// What keeps a function is known by the name of the method that takes it.
#include "patterns/closures.h"

#include <algorithm>
#include <array>
#include <utility>

#include "flow/world.h"
#include "patterns/captures.h"
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

// Calls that keep a function until they are told to drop it.
constexpr std::array<std::string_view, 12> kConnectors{
    "mpl_connect", "connect",      "add_callback", "register_callback", "on_click", "observe",
    "subscribe",   "add_listener", "register",     "add_event_handler", "on",       "append"};

// What the value of a captured variable is in the function that binds it.
bool IsTensorIn(const Sight& sight, const FunctionResult& r, BindingId binding) {
  const SlotId slot = r.body.RootSlot(binding);
  if (slot == flow::kNoSlot) return false;
  if (sight.module()[binding].is_param &&
      (sight.world().BindingEvidence(binding) & facts::kIsTensor) != 0)
    return true;
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
    const Instr& in = r.body.instrs[i];
    if (in.op != Op::kStore || SlotId{in.aux} != slot) continue;
    const ValueId value = r.body.Operand(in, 0);
    if (value == flow::kNoValue) continue;
    if (r.values[Index(value)].Is(flow::Kind::kTensor)) return true;
    if (std::ranges::any_of(r.forwards, [&](const auto& f) { return f.value == value; }))
      return true;
    const std::uint16_t evidence = r.evidence.of_value[Index(value)];
    if ((evidence & facts::kIsTensor) != 0) return true;
  }
  return false;
}

// lambda loss=loss: …: each such function has the value of its own turn.
std::string TensorDefault(const Sight& sight, const FunctionResult& r, FunctionId inner) {
  const sema::Module& module = sight.module();
  for (const sema::Param& p : module[inner].params) {
    if (p.default_value == syntax::kNoNode ||
        module.tree().kind(p.default_value) != syntax::Kind::kIdentifier)
      continue;
    const std::string_view name = sight.Text(p.default_value);
    for (const auto& [binding, slot] : r.body.roots) {
      if (module.Text(module[binding].name) == name && IsTensorIn(sight, r, binding))
        return std::string(name);
    }
  }
  return {};
}

// model.forward = types.MethodType(forward, model)
bool BindsTo(const Sight& sight, const FunctionResult& r, ValueId value, BindingId root) {
  if (r.body[value].op != Op::kCall) return false;
  const Call& call = r.body.calls[r.body[value].aux];
  if (call.argc != 2 || LastName(CalledText(sight, call)) != "MethodType") return false;
  const Instr& to = r.body[r.body.Arguments(call)[1].value];
  if (to.op != Op::kLoad) return false;
  const flow::Slot& slot = r.body.slots[to.aux];
  return slot.depth == 0 && slot.root == root;
}

// A list that this function makes before the loop, and that is not made anew in it.
bool IsListAround(const Sight& sight, const FunctionResult& r, const CallSite& site) {
  const flow::LoopId loop = sight.LoopAround(r, site.value);
  if (loop == flow::kNoLoop || r.body.loops[Index(loop)].is_short) return false;
  bool made = false;
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
    const Instr& in = r.body.instrs[i];
    if (in.op != Op::kStore || SlotId{in.aux} != site.call->receiver_slot) continue;
    if (r.body.Within(r.body.LoopOf(ValueId{i}), loop)) return false;
    made |= r.body[r.body.Operand(in, 0)].op == Op::kList;
  }
  return made;
}

}  // namespace

std::vector<KeptClosure> KeptClosures(const Sight& sight) {
  std::vector<KeptClosure> events;
  const Captures captures(sight);
  if (sight.Mentions("disconnect(") && !sight.Mentions("mpl_connect(")) return events;
  for (std::string_view connector : kConnectors) {
    for (const CallSite& site : sight.calls().OfMethod(connector)) {
      const FunctionResult& r = *site.r;
      const sema::Function& f = sight.module()[r.body.function];
      const bool again =
          sight.LoopAround(r, site.value) != flow::kNoLoop || r.called_in_loop ||
          (f.class_id != sema::kNoClass && sight.module().Text(f.name) != "__init__");
      if (!again || site.call->receiver == flow::kNoValue) continue;
      KeptClosure e;
      bool by_default = false;
      for (const auto& a : r.body.Arguments(*site.call)) {
        for (FunctionId inner : captures.Nested(r.body, a.value)) {
          if (e.tensor.empty()) e.tensor = TensorDefault(sight, r, inner);
          by_default |= !e.tensor.empty();
          for (BindingId b : captures.Of(inner))
            if (e.tensor.empty() && IsTensorIn(sight, r, b))
              e.tensor = std::string(sight.module().Text(sight.module()[b].name));
        }
      }
      if (e.tensor.empty()) continue;
      const Instr& into = r.body[site.call->receiver];
      // A list of an object or a module. In a local one the functions of all turns share the
      // variable, so that only the last tensor is kept: unless each has its own by default.
      if (connector == "append") {
        if (into.op != Op::kLoad) continue;
        const flow::Slot& slot = r.body.slots[into.aux];
        if (slot.depth == 0 && slot.is_local && (!by_default || !IsListAround(sight, r, site)))
          continue;
      }
      // The one before is let go first.
      const std::string_view whole = sight.Text(f.node);
      if (HoldsAny(whole,
                   {"disconnect(", "unsubscribe(", "remove_listener(", "unobserve(", ".clear()"}))
        continue;
      Place(sight, site, &e);
      e.into = sight.Short(into.node);
      e.strength = Strength::kStrong;
      e.flow.push_back({e.span, "keeps a function that uses `" + e.tensor + "`"});
      events.push_back(std::move(e));
    }
  }
  std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
  return events;
}

std::vector<SelfCycle> SelfCycles(const Sight& sight) {
  std::vector<SelfCycle> events;
  const Captures captures(sight);
  for (const FunctionResult& r : sight.world().results()) {
    if (!r.analyzed) continue;
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      const Instr& in = r.body.instrs[i];
      if (in.op != Op::kStore) continue;
      const flow::Slot& slot = r.body.slots[in.aux];
      if (slot.depth != 1) continue;
      const sema::ClassId cls = sight.world().SelfClass(slot.root);
      if (r.body.Operand(in, 0) == flow::kNoValue) continue;
      SelfCycle e;
      const bool patched = BindsTo(sight, r, r.body.Operand(in, 0), slot.root);
      if (patched) {
        e.bound_method = true;
      } else if (cls == sema::kNoClass ||
                 !captures.RefersToSelf(r, r.body.Operand(in, 0), &e.bound_method)) {
        continue;
      }
      e.function = r.body.function;
      e.span = sight.Span(in.node);
      e.in_test = sight.InTest(r.body.function);
      const bool module = cls != sema::kNoClass &&
                          (sight.world().IsModuleClass(cls) || sight.world().ShowsWeights(cls));
      e.strength = module ? Strength::kStrong : Strength::kMedium;
      e.attribute = flow::SlotText(sight.module(), r.body, SlotId{in.aux});
      e.record = i;
      e.flow.push_back({e.span, "the object holds this, and this the object"});
      events.push_back(std::move(e));
    }
  }
  std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
  return events;
}

}  // namespace torchleak::patterns
