// A nested function captures the variables that its body uses and another function binds. `self` is
// known by the class of whose method it is the receiver.
#include "patterns/closures.h"

#include <algorithm>
#include <array>
#include <utility>

#include "flow/world.h"
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

class Captures {
 public:
  explicit Captures(const Sight& sight) : sight_(sight), module_(sight.module()) {}

  // Variables of other functions, not of the module, that the function uses.
  std::vector<BindingId> Of(FunctionId id) const {
    std::vector<BindingId> out;
    for (const auto& [binding, slot] : sight_.world().result(id).body.roots) {
      const sema::Scope& scope = module_[module_[binding].scope];
      if (scope.function != id && scope.kind != sema::ScopeKind::kModule &&
          scope.kind != sema::ScopeKind::kClass)
        out.push_back(binding);
    }
    return out;
  }

  // The functions nested in this one that a value is: lambdas, and defs by their name.
  std::vector<FunctionId> Nested(const Body& body, ValueId value) const {
    std::vector<FunctionId> out;
    if (value == flow::kNoValue) return out;
    for (FunctionId f : sight_.world().FunctionsOf(body, value))
      if (!module_.IsForeign(f) && module_[f].class_id == sema::kNoClass) out.push_back(f);
    return out;
  }

  // `self` itself, one of its methods, a function that uses it, or a partial() of one of these.
  bool RefersToSelf(const FunctionResult& r, ValueId value, bool* bound) const {
    std::vector<ValueId> work{value};
    for (int steps = 0; !work.empty() && steps < 32; ++steps) {
      const ValueId v = work.back();
      work.pop_back();
      if (v == flow::kNoValue) continue;
      const Instr& in = r.body[v];
      if (in.op == Op::kCall) {
        const Call& call = r.body.calls[in.aux];
        if (LastName(CalleeText(sight_, call)) != "partial") continue;
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

  bool IsSelf(const Body& body, ValueId value) const {
    if (value == flow::kNoValue || body[value].op != Op::kLoad) return false;
    const flow::Slot& slot = body.slots[body[value].aux];
    return slot.depth == 0 && sight_.world().SelfClass(slot.root) != sema::kNoClass;
  }

  bool IsMethodOfSelf(const Body& body, ValueId value) const {
    if (body[value].op != Op::kLoad) return false;
    const flow::Slot& slot = body.slots[body[value].aux];
    if (slot.depth != 1) return false;
    const sema::ClassId cls = sight_.world().SelfClass(slot.root);
    if (cls == sema::kNoClass) return false;
    const FunctionId f = module_.FindMethod(cls, slot.attribute);
    return f != sema::kNoFunction && !module_[f].is_static && !module_[f].is_property &&
           !module_[f].is_classmethod;
  }

 private:
  const Sight& sight_;
  const sema::Module& module_;
};

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
      const std::string_view made = CalleeText(sight, r.body.calls[r.body[value].aux]);
      if (LastName(made).find("Parameter") != made.npos) return true;
    }
  }
  return false;
}

// A variable that gets the result of a computation here: no element of what is there anyhow, such
// as the parameters of a module, and no node of the graph.
bool IsMadeTensor(const FunctionResult& r, SlotId slot) {
  return std::ranges::any_of(r.body.instrs, [&](const Instr& in) {
    if (in.op != Op::kStore || SlotId{in.aux} != slot) return false;
    const ValueId value = r.body.Operand(in, 0);
    if (value == flow::kNoValue) return false;
    const Op op = r.body[value].op;
    if (op == Op::kBinary) return true;
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
  if (!IsMadeTensor(r, slot)) return false;
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
