// Parameters are found by the loop that hands them out, `for … in m.named_parameters()`, and the
// arithmetic on them by walking back from what is stored.
#include "patterns/target_update.h"

#include <algorithm>
#include <array>

#include "flow/world.h"
#include "patterns/definition.h"

namespace torchleak::patterns {

using flow::Body;
using flow::FunctionResult;
using flow::Instr;
using flow::LoopId;
using flow::Op;
using flow::SlotId;
using flow::ValueId;
using sema::Index;

namespace {

class Theme {
 public:
  Theme(const Sight& sight, const FunctionResult& r)
      : sight_(sight), module_(sight.module()), r_(r), body_(r.body) {}
  void Collect(std::vector<TargetUpdateEvent>* out);

 private:
  std::string_view Method(const Instr& call) const {
    return module_.Text(body_.calls[call.aux].method);
  }
  bool Builtin(const Instr& call, std::string_view name) const {
    const flow::Call& c = body_.calls[call.aux];
    return c.fact != nullptr && c.fact->name == name;
  }
  // What a loop's element is taken from: the argument of zip, of enumerate, … that it came through,
  // with the parts that are still to be unpacked, outermost last.
  ValueId Iterated(ValueId value, std::vector<std::uint32_t>* parts) const;
  ValueId Through(ValueId iterable, std::vector<std::uint32_t>* parts) const;
  // The `m.parameters()` that the value is a bare element of; kNoValue for other values.
  ValueId ParametersOf(ValueId value) const;
  bool TakesParameter(ValueId value) const;
  void Operands(const Instr& in, std::vector<ValueId>* work) const;
  // The variable or attribute that a value is an element of: `self.shadow` of self.shadow[n].
  SlotId PlaceOf(ValueId value) const;
  bool Reads(ValueId value, SlotId place) const;
  bool Outlives(SlotId place, ValueId at) const;
  bool GradIsOn(ValueId at) const {
    const flow::GradMode mode = r_.modes[Index(at)];
    return mode == flow::GradMode::kOn ||
           (mode == flow::GradMode::kInherit && r_.entry_mode != flow::GradMode::kOff &&
            r_.entry_mode != flow::GradMode::kUnknown);
  }
  bool SetsElement(ValueId at, const Instr& in) const;
  bool InPlace(ValueId at, const Instr& in, ValueId* target) const;
  bool Rebuilds(ValueId at, const Instr& in) const;
  bool IsFrozen(ValueId parameters) const;

  const Sight& sight_;
  const sema::Module& module_;
  const FunctionResult& r_;
  const Body& body_;
};

ValueId Theme::Through(ValueId iterable, std::vector<std::uint32_t>* parts) const {
  for (int hops = 0; hops < 8; ++hops) {
    iterable = Definition(body_, iterable);
    const Instr& in = body_[iterable];
    if (in.op != Op::kCall || body_.calls[in.aux].argc == 0) return iterable;
    const auto arguments = body_.Arguments(body_.calls[in.aux]);
    if (Builtin(in, "builtins.enumerate")) {
      if (parts->empty() || parts->back() != 1) return flow::kNoValue;
      parts->pop_back();
      iterable = arguments[0].value;
    } else if (Builtin(in, "builtins.zip")) {
      if (parts->empty() || parts->back() >= arguments.size()) return flow::kNoValue;
      iterable = arguments[parts->back()].value;
      parts->pop_back();
    } else if (Builtin(in, "builtins.list") || Builtin(in, "builtins.tuple")) {
      iterable = arguments[0].value;
    } else {
      return iterable;
    }
  }
  return flow::kNoValue;
}

ValueId Theme::Iterated(ValueId value, std::vector<std::uint32_t>* parts) const {
  value = Definition(body_, value);
  while (body_[value].op == Op::kUnpack && parts->size() < 4) {
    parts->push_back(body_[value].aux);
    value = Definition(body_, body_.Operand(body_[value], 0));
  }
  if (body_[value].op != Op::kIterate) return flow::kNoValue;
  return Through(body_.Operand(body_[value], 0), parts);
}

ValueId Theme::ParametersOf(ValueId value) const {
  value = Definition(body_, value);
  if (body_[value].op == Op::kGetItem) {  // dict(m.named_parameters())[name]
    const ValueId dict = Definition(body_, body_.Operand(body_[value], 0));
    const Instr& made = body_[dict];
    if (made.op != Op::kCall || !Builtin(made, "builtins.dict")) return flow::kNoValue;
    if (body_.calls[made.aux].argc != 1) return flow::kNoValue;
    const ValueId named = Definition(body_, body_.Arguments(body_.calls[made.aux])[0].value);
    const bool fits = body_[named].op == Op::kCall && Method(body_[named]) == "named_parameters";
    return fits ? named : flow::kNoValue;
  }
  std::vector<std::uint32_t> parts;
  const ValueId from = Iterated(value, &parts);
  if (from == flow::kNoValue || body_[from].op != Op::kCall) return flow::kNoValue;
  const std::string_view method = Method(body_[from]);
  const bool bare = method == "parameters" && parts.empty();
  const bool named = method == "named_parameters" && parts.size() == 1 && parts[0] == 1;
  return bare || named ? from : flow::kNoValue;
}

void Theme::Operands(const Instr& in, std::vector<ValueId>* work) const {
  switch (in.op) {
    case Op::kBinary:
    case Op::kAugment:
    case Op::kUnary:
    case Op::kSelect:
      for (const ValueId o : body_.Operands(in)) work->push_back(o);
      return;
    case Op::kCall: {
      const flow::Call& call = body_.calls[in.aux];
      const facts::Fact* fact = call.fact;
      if (fact == nullptr && call.method != sema::kNoName)
        fact = facts::FindMethod("torch.Tensor", module_.Text(call.method));
      if (fact == nullptr || fact->graph == facts::Graph::kDrops) return;
      if (call.receiver != flow::kNoValue) work->push_back(call.receiver);
      for (const flow::Argument& a : body_.Arguments(call)) work->push_back(a.value);
      return;
    }
    default:
      return;
  }
}

bool Theme::TakesParameter(ValueId value) const {
  std::vector<ValueId> work{value};
  for (int steps = 0; !work.empty() && steps < 48; ++steps) {
    const ValueId at = Definition(body_, work.back());
    work.pop_back();
    if (ParametersOf(at) != flow::kNoValue) return true;
    if (GradIsOn(at)) Operands(body_[at], &work);
  }
  return false;
}

SlotId Theme::PlaceOf(ValueId value) const {
  for (int hops = 0; hops < 12; ++hops) {
    const Instr& in = body_[value];
    if (in.op == Op::kLoad) {
      const ValueId made = Definition(body_, value);
      if (made == value || body_[made].op == Op::kList || body_[made].op == Op::kDict)
        return SlotId{in.aux};
      const Instr& source = body_[made];
      const bool part =
          source.op == Op::kGetItem || source.op == Op::kUnpack || source.op == Op::kIterate;
      if (!part) return body_.slots[in.aux].depth > 0 ? SlotId{in.aux} : flow::kNoSlot;
      value = made;
    } else if (in.op == Op::kGetItem) {
      value = body_.Operand(in, 0);
    } else if (in.op == Op::kUnpack || in.op == Op::kIterate) {
      std::vector<std::uint32_t> parts;
      value = Iterated(value, &parts);
      if (value == flow::kNoValue) return flow::kNoSlot;
    } else if (in.op == Op::kCall) {  // x.mul_(d).add_(…), shadow.items()
      const std::string_view method = Method(in);
      const bool view = method == "items" || method == "values" || method.ends_with('_');
      if (!view || body_.calls[in.aux].receiver == flow::kNoValue) return flow::kNoSlot;
      value = body_.calls[in.aux].receiver;
    } else {
      return flow::kNoSlot;
    }
  }
  return flow::kNoSlot;
}

bool Theme::Reads(ValueId value, SlotId place) const {
  std::vector<ValueId> work{value};
  for (int steps = 0; !work.empty() && steps < 48; ++steps) {
    const ValueId at = work.back();
    work.pop_back();
    if (PlaceOf(at) == place) return true;
    Operands(body_[Definition(body_, at)], &work);
  }
  return false;
}

// An attribute, a global, an argument; or a local that lives on while the loop around this one
// runs.
bool Theme::Outlives(SlotId place, ValueId at) const {
  if (place == flow::kNoSlot) return false;
  const flow::Slot& slot = body_.slots[Index(place)];
  if (slot.depth > 0 || !slot.is_local || module_[slot.root].is_param) return true;
  const LoopId loop = sight_.LoopAround(r_, at);
  if (loop == flow::kNoLoop) return false;
  const LoopId outer = body_.loops[Index(loop)].parent;
  if (outer == flow::kNoLoop) return false;
  for (std::uint32_t i = 0; i < body_.instrs.size(); ++i) {
    const Instr& in = body_.instrs[i];
    if (in.op == Op::kStore && SlotId{in.aux} == place && ValueId{i} != at &&
        body_.Within(body_.LoopOf(ValueId{i}), outer))
      return false;
  }
  return true;
}

bool Theme::IsFrozen(ValueId parameters) const {
  const flow::Call& call = body_.calls[body_[parameters].aux];
  if (call.receiver == flow::kNoValue) return false;
  return r_.values[Index(call.receiver)].Has(flow::kFrozen);
}

// shadow[n] = d * shadow[n] + (1 - d) * p; shadow[n] += (1 - d) * (p - shadow[n])
bool Theme::SetsElement(ValueId at, const Instr& in) const {
  const ValueId base = body_.Operand(in, 0), stored = body_.Operand(in, 2);
  const SlotId place = PlaceOf(base);
  if (!Outlives(place, at) || !TakesParameter(stored)) return false;
  return in.aux8 == 1 || Reads(stored, place);
}

// shadow[n].mul_(d).add_(p, alpha=1 - d); s.lerp_(p, 0.1) over zip(self.shadow, m.parameters())
bool Theme::InPlace(ValueId at, const Instr& in, ValueId* target) const {
  const flow::Call& call = body_.calls[in.aux];
  const std::string_view method = module_.Text(call.method);
  constexpr std::array<std::string_view, 6> kMethods{"add_",  "sub_",     "lerp_",
                                                     "copy_", "addcmul_", "mul_"};
  if (std::ranges::find(kMethods, method) == kMethods.end()) return false;
  if (call.receiver == flow::kNoValue || !GradIsOn(at)) return false;
  bool takes = false;
  for (const flow::Argument& a : body_.Arguments(call)) takes |= TakesParameter(a.value);
  if (!takes) return false;
  ValueId root = call.receiver;
  for (int hops = 0; hops < 6 && body_[root].op == Op::kCall && Method(body_[root]).ends_with('_');
       ++hops)
    root = body_.calls[body_[root].aux].receiver;
  if (root == flow::kNoValue) return false;
  *target = root;
  // Written into a leaf that requires grad it would fail at once; into a frozen one it does not.
  if (const ValueId own = ParametersOf(root); own != flow::kNoValue) return IsFrozen(own);
  if (body_[Definition(body_, root)].op == Op::kLoad && body_[root].op == Op::kLoad) {
    const flow::Slot& slot = body_.slots[body_[root].aux];
    if (module_.Text(slot.attribute) == "data" || module_.Text(slot.attribute) == "grad")
      return false;
  }
  // copy_() replaces what was there, so that only a value made from the old one makes a chain
  const SlotId place = PlaceOf(root);
  if (place == flow::kNoSlot || body_[root].op == Op::kGetAttr || !Outlives(place, at))
    return false;
  if (method != "copy_") return true;
  return std::ranges::any_of(body_.Arguments(call),
                             [&](const flow::Argument& a) { return Reads(a.value, place); });
}

// avg = [d * a + (1 - d) * p for a, p in zip(avg, m.parameters())]
bool Theme::Rebuilds(ValueId at, const Instr& in) const {
  const ValueId made = body_.Operand(in, 0);
  if (body_[made].op != Op::kList && body_[made].op != Op::kDict) return false;
  const SlotId place{in.aux};
  const std::uint32_t end = Index(at), begin = Index(made);
  for (std::uint32_t i = begin + 1; i < end; ++i) {
    const Instr& append = body_.instrs[i];
    if (append.op != Op::kAppend || body_.Operand(append, 0) != made) continue;
    const ValueId element = body_.Operand(append, append.argc - 1u);
    if (TakesParameter(element) && Reads(element, place) && Outlives(place, at)) return true;
  }
  return false;
}

void Theme::Collect(std::vector<TargetUpdateEvent>* out) {
  for (std::uint32_t i = 0; i < body_.instrs.size(); ++i) {
    const Instr& in = body_.instrs[i];
    const ValueId at{i};
    ValueId shown = flow::kNoValue;
    bool found = false;
    if (in.op == Op::kSetItem) {
      found = in.argc == 3 && SetsElement(at, in);
    } else if (in.op == Op::kCall) {
      found = InPlace(at, in, &shown);
    } else if (in.op == Op::kStore) {
      found = Rebuilds(at, in);
    }
    if (!found) continue;
    TargetUpdateEvent e;
    e.function = body_.function;
    e.span = sight_.Span(in.node);
    e.strength = flow::Strength::kStrong;
    e.in_test = sight_.InTest(body_.function);
    e.record = i;
    e.where = shown != flow::kNoValue ? sight_.Short(body_[shown].node)
              : in.op == Op::kStore   ? flow::SlotText(module_, body_, SlotId{in.aux})
                                    : flow::SlotText(module_, body_, PlaceOf(body_.Operand(in, 0)));
    if (sight_.LoopAround(r_, at) != flow::kNoLoop)
      e.flow.push_back({sight_.HeaderSpan(sight_.LoopAround(r_, at), body_),
                        "parameters require grad, and so does what is made of them"});
    out->push_back(std::move(e));
  }
}

}  // namespace

std::vector<TargetUpdateEvent> TargetUpdates(const Sight& sight) {
  std::vector<TargetUpdateEvent> out;
  if (!sight.Mentions("parameters()")) return out;
  for (const FunctionResult& r : sight.world().results()) {
    if (!r.analyzed || r.modes.size() != r.body.instrs.size()) continue;
    const bool takes = std::ranges::any_of(r.body.calls, [&](const flow::Call& call) {
      const std::string_view method = sight.module().Text(call.method);
      return method == "parameters" || method == "named_parameters";
    });
    if (takes) Theme(sight, r).Collect(&out);
  }
  std::ranges::sort(out, {}, [](const auto& e) { return e.span.begin; });
  return out;
}

}  // namespace torchleak::patterns
