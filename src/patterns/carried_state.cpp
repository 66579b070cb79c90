// Stores are sorted by the call whose result they keep; a call that is given one of these places as
// an argument carries it.
#include "patterns/carried_state.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_map>

#include "flow/events_internal.h"
#include "flow/world.h"
#include "patterns/attribute_resets.h"
#include "patterns/definition.h"

namespace torchleak::patterns {

using flow::Body;
using flow::FunctionResult;
using flow::Instr;
using flow::kNoLoop;
using flow::LoopId;
using flow::Op;
using flow::SlotId;
using flow::ValueId;
using sema::Index;

namespace {

class Theme {
 public:
  Theme(const Sight& sight, const FunctionResult& r)
      : sight_(sight),
        world_(sight.world()),
        module_(sight.module()),
        builder_(world_, nullptr),
        r_(r),
        body_(r.body) {}
  void Collect(std::optional<AttributeResets>* resets, std::vector<CarriedStateEvent>* out);

 private:
  // The call that made it, through parts of its result; kNoValue when it is something else.
  ValueId CallBehind(ValueId value) const;
  bool IsGiven(const flow::Call& call, SlotId slot) const;
  bool IsMemory(SlotId slot) const;
  bool RetainsAround(ValueId call) const;
  unsigned OriginOf(ValueId call) const;
  bool Cuts(SlotId slot, ValueId call, LoopId loop) const;
  bool OnlyFirst(ValueId at) const;
  bool NamesCut(LoopId loop) const;
  bool WalkedIn(LoopId loop, unsigned origin) const;
  bool Unwanted(SlotId slot, unsigned origin, LoopId loop) const;
  bool LeavesOnlyAs(SlotId slot, unsigned origin) const;
  bool HandedOn(SlotId slot, unsigned origin) const;
  bool KeptForNobody(unsigned origin) const;
  bool Dropped(unsigned origin, LoopId loop) const;
  bool IsElement(const flow::Call& call) const;
  bool OverThings(LoopId loop) const;
  bool StepHelper(const flow::Call& call, SlotId slot) const;
  bool ActsInLoop(ValueId call, SlotId slot) const;
  std::optional<Carried> InLoop(ValueId call, SlotId slot, unsigned origin, LoopId* loop) const;
  std::optional<Carried> ByAttribute(ValueId call, SlotId slot,
                                     std::optional<AttributeResets>* resets) const;

  const Sight& sight_;
  const flow::World& world_;
  const sema::Module& module_;
  flow::EventBuilder builder_;
  const FunctionResult& r_;
  const Body& body_;
};

ValueId Theme::CallBehind(ValueId value) const {
  for (int hops = 0; hops < 6; ++hops) {
    value = Definition(body_, value);
    const Instr& in = body_[value];
    if (in.op == Op::kCall) return value;
    if (in.op != Op::kUnpack && in.op != Op::kGetItem) return flow::kNoValue;
    value = body_.Operand(in, 0);
  }
  return flow::kNoValue;
}

bool Theme::IsGiven(const flow::Call& call, SlotId slot) const {
  std::vector<ValueId> work;
  for (const flow::Argument& a : body_.Arguments(call)) work.push_back(a.value);
  for (int steps = 0; !work.empty() && steps < 24; ++steps) {
    const ValueId at = work.back();
    work.pop_back();
    const Instr& in = body_[at];
    if (in.op == Op::kLoad) {
      if (SlotId{in.aux} == slot) return true;
      const Instr& made = body_[Definition(body_, at)];
      if (made.op == Op::kLoad && SlotId{made.aux} == slot) return true;
    } else if (in.op == Op::kTuple || in.op == Op::kList || in.op == Op::kSelect ||
               in.op == Op::kDict) {
      for (const ValueId o : body_.Operands(in)) work.push_back(o);
    } else if (in.op == Op::kGetItem) {
      work.push_back(body_.Operand(in, 0));
    }
  }
  return false;
}

// Transformers that remember cut their memories themselves.
bool Theme::IsMemory(SlotId slot) const {
  const flow::Slot& place = body_.slots[Index(slot)];
  const std::string_view name =
      module_.Text(place.depth > 0 ? place.attribute : module_[place.root].name);
  for (const std::string_view part : {"mems", "past", "cache"})
    if (name.find(part) != name.npos) return true;
  return false;
}

// backward(retain_graph=True) in the loop: without it the second turn would fail, had nobody cut.
bool Theme::RetainsAround(ValueId call) const {
  const LoopId loop = sight_.LoopAround(r_, call);
  if (loop == kNoLoop) return false;
  return std::ranges::any_of(r_.backwards, [&](const flow::Backward& b) {
    return b.retain_written && b.direct && body_.Within(body_.LoopOf(b.value), loop);
  });
}

// Of a module's call, or of a helper that hands the graph on; kOverflowOrigin for others.
unsigned Theme::OriginOf(ValueId call) const {
  const bool forward = std::ranges::any_of(
      r_.forwards, [&](const flow::Forward& f) { return f.value == call && f.direct; });
  for (unsigned i = 0; i < r_.origins.size() && i < flow::kOverflowOrigin; ++i) {
    const flow::Origin& o = r_.origins[i];
    if (o.value != call || !o.makes_graph) continue;
    if (o.kind == flow::OriginKind::kCallee || forward) return i;
    if (o.kind == flow::OriginKind::kModuleCall || o.kind == flow::OriginKind::kCall) return i;
  }
  return flow::kOverflowOrigin;
}

// Runs in the first turn only: `if h is None`, `if step == 0`, `if not hasattr(self, "h")`.
bool Theme::OnlyFirst(ValueId at) const {
  for (std::uint32_t g = body_.BlockOf(at).guard; g != flow::kNoKey; g = body_.guards[g].parent) {
    const std::string_view text = sight_.Text(body_.guards[g].condition);
    if (text.find("is not") != text.npos) continue;
    for (const std::string_view first : {"is None", "hasattr", "== 0", "not "})
      if (text.find(first) != text.npos) return true;
  }
  return false;
}

// Another store into the place, while `loop` runs, of something that is not the call's result.
bool Theme::Cuts(SlotId slot, ValueId call, LoopId loop) const {
  const flow::Slot& place = body_.slots[Index(slot)];
  for (std::uint32_t i = 0; i < body_.instrs.size(); ++i) {
    const Instr& in = body_.instrs[i];
    const bool deleted = in.op == Op::kDelete && SlotId{in.aux} == slot;
    if (!deleted && in.op != Op::kStore) continue;
    if (!body_.Within(body_.LoopOf(ValueId{i}), loop)) continue;
    if (!deleted && (in.aux8 == 4 || in.aux8 == 5 || body_[body_.Operand(in, 0)].op == Op::kParam))
      continue;  // a parameter, or narrowed by a test
    const bool owner = place.parent != flow::kNoSlot && SlotId{in.aux} == place.parent;
    if (owner) return true;  // track = tracks[i], then track.state
    if (SlotId{in.aux} != slot) continue;
    if (deleted) return true;
    const ValueId source = body_.Operand(in, 0);
    if (CallBehind(source) != call && !OnlyFirst(ValueId{i})) return true;
  }
  return false;
}

// repackage_hidden(h), state.detach_(), memory.detach(), detach_all(…): whatever it cuts.
bool Theme::NamesCut(LoopId loop) const {
  for (std::uint32_t i = 0; i < body_.instrs.size(); ++i) {
    const Instr& in = body_.instrs[i];
    if (in.op != Op::kCall || !body_.Within(body_.LoopOf(ValueId{i}), loop)) continue;
    const flow::Call& call = body_.calls[in.aux];
    std::string_view name = module_.Text(call.method);
    if (name.empty() && call.callee_slot != flow::kNoSlot) {
      const flow::Slot& slot = body_.slots[Index(call.callee_slot)];
      name = module_.Text(slot.depth > 0 ? slot.attribute : module_[slot.root].name);
    }
    for (const std::string_view cut : {"repackage", "truncate", "stop_grad", "reset"})
      if (name.find(cut) != name.npos) return true;
    // x.detach() of an output is nobody's cut; detach_() and helpers of that name are
    if (name != "detach" && name.find("detach") != name.npos) return true;
    if (name == "detach" && call.receiver != flow::kNoValue &&
        !r_.values[Index(call.receiver)].Is(flow::Kind::kTensor) &&
        body_[call.receiver].op == Op::kLoad && r_.values[Index(call.receiver)].origins.none())
      return true;
  }
  return false;
}

bool Theme::WalkedIn(LoopId loop, unsigned origin) const {
  return std::ranges::any_of(r_.backwards, [&](const flow::Backward& b) {
    return b.origins.test(origin) && !b.through_grad && body_.Within(body_.LoopOf(b.value), loop);
  });
}

// Whatever is returned with the call's graph is the state itself.
bool Theme::LeavesOnlyAs(SlotId slot, unsigned origin) const {
  for (const Instr& in : body_.instrs) {
    if (in.op == Op::kYield) return false;
    if (in.op != Op::kReturn || in.argc == 0) continue;
    std::vector<ValueId> parts{body_.Operand(in, 0)};
    if (body_[parts[0]].op == Op::kTuple) {
      const auto operands = body_.Operands(body_[parts[0]]);
      parts.assign(operands.begin(), operands.end());
    }
    for (const ValueId v : parts) {
      const bool state = body_[v].op == Op::kLoad && SlotId{body_[v].aux} == slot;
      if (!state && flow::Deep(r_, r_.values[Index(v)]).origins.test(origin)) return false;
    }
  }
  return true;
}

// Kept somewhere else, or given to a call that returns no tensor and may keep it.
bool Theme::HandedOn(SlotId slot, unsigned origin) const {
  for (const flow::Store& s : r_.stores)
    if (s.slot != slot && s.sinks != 0 && s.what.origins.test(origin)) return true;
  if (!r_.escaped.test(origin)) return false;
  for (std::uint32_t i = 0; i < body_.instrs.size(); ++i) {
    if (body_.instrs[i].op != Op::kCall || r_.values[i].Is(flow::Kind::kTensor)) continue;
    const flow::Call& call = body_.calls[body_.instrs[i].aux];
    if (call.fact != nullptr) continue;
    for (const flow::Argument& a : body_.Arguments(call))
      if (r_.values[Index(a.value)].origins.test(origin)) return true;
  }
  return false;
}

// accumulated-tensor speaks of a store of it: live, and no backward() to come.
bool Theme::KeptForNobody(unsigned origin) const {
  return std::ranges::any_of(sight_.events().kept, [&](const flow::KeptEvent& e) {
    if (e.function != body_.function || e.record >= r_.stores.size()) return false;
    return e.graph == flow::Graph::kLive && !e.needed && e.in_loop && !e.bounded &&
           e.growth != flow::Growth::kSlot && e.cleared != flow::Cleared::kEachTurn &&
           r_.stores[e.record].what.origins.test(origin);
  });
}

// Something of it goes through argmax(), item(), detach(), …
bool Theme::Dropped(unsigned origin, LoopId loop) const {
  for (std::uint32_t i = 0; i < body_.instrs.size(); ++i) {
    const Instr& in = body_.instrs[i];
    if (in.op != Op::kCall || !body_.Within(body_.LoopOf(ValueId{i}), loop)) continue;
    const flow::Call& call = body_.calls[in.aux];
    if (call.receiver == flow::kNoValue) continue;
    const facts::Fact* fact = facts::FindMethod("torch.Tensor", module_.Text(call.method));
    const bool drops = fact != nullptr && fact->graph == facts::Graph::kDrops;
    if (drops && r_.values[Index(call.receiver)].origins.test(origin)) return true;
  }
  return false;
}

// for layer in layers: x, _ = layer(x)
bool Theme::IsElement(const flow::Call& call) const {
  ValueId callee = call.receiver != flow::kNoValue ? call.receiver : call.callee;
  for (int hops = 0; hops < 4 && callee != flow::kNoValue; ++hops) {
    const Instr& in = body_[Definition(body_, callee)];
    if (in.op == Op::kIterate || in.op == Op::kGetItem) return true;
    if (in.op != Op::kUnpack && in.op != Op::kGetAttr) return false;
    callee = body_.Operand(in, 0);
  }
  return false;
}

// for x in stream: over things that are there already, however the variable is called.
bool Theme::OverThings(LoopId loop) const {
  if (builder_.OverData(r_, loop, true)) return true;
  const flow::Loop& l = body_.loops[Index(loop)];
  return !l.is_while && !l.is_comprehension && l.iterable != syntax::kNoNode &&
         sight_.Text(l.iterable).find("range(") == std::string_view::npos;
}

bool Theme::Unwanted(SlotId slot, unsigned origin, LoopId loop) const {
  if (r_.differentiated.test(origin)) return false;
  if (world_.role(body_.function) != flow::Role::kPlain || r_.within_forward) return false;
  if (KeptForNobody(origin)) return true;
  if (!OverThings(loop) || HandedOn(slot, origin)) return false;
  return LeavesOnlyAs(slot, origin) && Dropped(origin, loop);
}

// img = step(model, img): the helper differentiates what it is given, and hands the graph on.
bool Theme::StepHelper(const flow::Call& call, SlotId slot) const {
  const flow::World::Target target = world_.Resolve(body_, call);
  if (target.function == sema::kNoFunction || target.class_id != sema::kNoClass) return false;
  const flow::Summary& summary = world_.result(target.function).summary;
  const auto& params = module_[target.function].params;
  std::uint32_t position = target.bound ? 1 : 0;
  for (const flow::Argument& a : body_.Arguments(call)) {
    std::uint32_t index = flow::kNoKey;
    if (a.keyword == sema::kNoName) {
      index = position++;
    } else {
      for (std::uint32_t i = 0; i < params.size(); ++i)
        if (params[i].name == a.keyword) index = i;
    }
    if (a.stars != 0 || index >= 64) return false;
    if (body_[a.value].op != Op::kLoad || SlotId{body_[a.value].aux} != slot) continue;
    return (summary.ret_params >> index & 1) != 0 && (summary.differentiated >> index & 1) != 0;
  }
  return false;
}

std::optional<Carried> Theme::InLoop(ValueId call, SlotId slot, unsigned origin,
                                     LoopId* loop) const {
  for (LoopId l = sight_.LoopAround(r_, call); l != kNoLoop; l = body_.loops[Index(l)].parent) {
    if (body_.loops[Index(l)].is_comprehension) continue;
    if (Cuts(slot, call, l) || NamesCut(l)) return std::nullopt;
    *loop = l;
    if (body_.loops[Index(l)].is_short) continue;
    if (origin == flow::kOverflowOrigin) return Carried::kWithoutGradient;  // a step helper
    if (WalkedIn(l, origin)) return Carried::kThroughBackward;
    if (Unwanted(slot, origin, l)) return Carried::kWithoutGradient;
  }
  return std::nullopt;
}

// def act(self, obs): logits, self.state = self.policy(obs, self.state); return logits.argmax()
// A method that a loop calls, out of which no gradient can come.
bool Theme::ActsInLoop(ValueId call, SlotId slot) const {
  if (!r_.called_in_loop || world_.role(body_.function) != flow::Role::kPlain) return false;
  const unsigned origin = OriginOf(call);
  if (origin == flow::kOverflowOrigin || r_.differentiated.test(origin)) return false;
  return LeavesOnlyAs(slot, origin) && !HandedOn(slot, origin) && Dropped(origin, kNoLoop);
}

std::optional<Carried> Theme::ByAttribute(ValueId call, SlotId slot,
                                          std::optional<AttributeResets>* resets) const {
  const flow::Slot& place = body_.slots[Index(slot)];
  const sema::ClassId cls = world_.SelfClass(place.root);
  const flow::Role role = world_.role(body_.function);
  const bool stepped = role == flow::Role::kForward || role == flow::Role::kTrainingStep;
  if (place.depth != 1 || cls == sema::kNoClass) return std::nullopt;
  if (!stepped && !ActsInLoop(call, slot)) return std::nullopt;
  if (body_.LoopOf(call) != kNoLoop || Cuts(slot, call, kNoLoop) || NamesCut(kNoLoop))
    return std::nullopt;
  if (!resets->has_value()) resets->emplace(sight_);
  const Resets which = stepped ? Resets::kBetweenCalls : Resets::kByOthers;
  if ((*resets)->Any(place.attribute, cls, body_.function, which)) return std::nullopt;
  return Carried::kByAttribute;
}

void Theme::Collect(std::optional<AttributeResets>* resets, std::vector<CarriedStateEvent>* out) {
  std::map<std::uint32_t, std::vector<SlotId>> kept;  // by call
  for (const Instr& in : body_.instrs) {
    if (in.op != Op::kStore || in.aux8 == 4 || in.aux8 == 5) continue;
    const ValueId call = CallBehind(body_.Operand(in, 0));
    if (call != flow::kNoValue) kept[Index(call)].push_back(SlotId{in.aux});
  }
  for (const auto& [value, slots] : kept) {
    const ValueId at{value};
    const flow::Call& call = body_.calls[body_[at].aux];
    for (const SlotId slot : slots) {
      if (!IsGiven(call, slot) || IsElement(call)) continue;
      if (IsMemory(slot) && !RetainsAround(at)) continue;
      unsigned origin = OriginOf(at);
      const bool helper = StepHelper(call, slot);
      if (origin == flow::kOverflowOrigin && !helper) continue;
      CarriedStateEvent e;
      bool eval = false;
      flow::Origins one;
      if (origin != flow::kOverflowOrigin) {
        one.set(origin);
        if (builder_.GraphOf(r_, one, &e.strength, &eval) == flow::Graph::kNone) continue;
      } else {
        e.strength = flow::Strength::kMedium;
      }
      LoopId loop = kNoLoop;
      std::optional<Carried> how = InLoop(at, slot, helper ? flow::kOverflowOrigin : origin, &loop);
      if (!how.has_value()) {
        loop = kNoLoop;
        how = ByAttribute(at, slot, resets);
      }
      if (!how.has_value()) continue;
      e.function = body_.function;
      e.span = sight_.Span(call.node);
      e.in_test = sight_.InTest(body_.function);
      e.record = value;
      e.how = *how;
      e.state = flow::SlotText(module_, body_, slot);
      if (call.callee != flow::kNoValue) e.module = sight_.Short(body_[call.callee].node);
      e.flow.push_back({e.span, "the state comes back with its graph"});
      if (loop != kNoLoop)
        e.flow.push_back(
            {sight_.HeaderSpan(loop, body_), "and goes into the next turn of this loop"});
      out->push_back(std::move(e));
      break;
    }
  }
}

}  // namespace

std::vector<CarriedStateEvent> CarriedStates(const Sight& sight) {
  std::vector<CarriedStateEvent> out;
  std::optional<AttributeResets> resets;
  for (const FunctionResult& r : sight.world().results())
    if (r.analyzed) Theme(sight, r).Collect(&resets, &out);
  std::ranges::sort(out, {}, [](const auto& e) { return e.span.begin; });
  return out;
}

}  // namespace torchleak::patterns
