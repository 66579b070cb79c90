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
bool IsTensorIn(const FunctionResult& r, BindingId binding) {
  const SlotId slot = r.body.RootSlot(binding);
  if (slot == flow::kNoSlot) return false;
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
      for (const auto& a : r.body.Arguments(*site.call)) {
        for (FunctionId inner : captures.Nested(r.body, a.value)) {
          for (BindingId b : captures.Of(inner))
            if (e.tensor.empty() && IsTensorIn(r, b))
              e.tensor = std::string(sight.module().Text(sight.module()[b].name));
        }
      }
      if (e.tensor.empty()) continue;
      const Instr& into = r.body[site.call->receiver];
      if (connector == "append") {  // a list of an object or a module; a local one is followed
        if (into.op != Op::kLoad) continue;
        const flow::Slot& slot = r.body.slots[into.aux];
        if (slot.depth == 0 && slot.is_local) continue;
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
      if (cls == sema::kNoClass || r.body.Operand(in, 0) == flow::kNoValue) continue;
      SelfCycle e;
      if (!captures.RefersToSelf(r, r.body.Operand(in, 0), &e.bound_method)) continue;
      e.function = r.body.function;
      e.span = sight.Span(in.node);
      e.in_test = sight.InTest(r.body.function);
      e.strength = sight.world().IsModuleClass(cls) || sight.world().ShowsWeights(cls)
                       ? Strength::kStrong
                       : Strength::kMedium;
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
