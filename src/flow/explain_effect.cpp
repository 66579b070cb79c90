// What a line does: stores, calls, backward passes, steps. Events get their verdict from the
// engine; here are the things that are no event, each with the reason.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "flow/explain_internal.h"
#include "flow/names.h"

namespace torchleak::flow {

using syntax::kNoNode;
using syntax::NodeId;

std::string Explainer::BackwardEffect(const FunctionResult& r, const Backward& b) const {
  const Origins graphs = b.origins & r.graph_mask;
  std::string out = b.through_grad ? "asks for gradients" : "differentiates";
  std::vector<NodeId> makers;
  for (std::size_t i = 0; i < r.origins.size() && i < kOverflowOrigin; ++i) {
    if (graphs.test(i) && r.origins[i].node != kNoNode) makers.push_back(r.origins[i].node);
  }
  if (makers.empty())
    return out + ": a graph that was not made in this function, as far as can be seen";
  out += " the graph made at " + Lines(makers);
  return out +
         (b.retains
              ? " and keeps its activations for another backward()"
              : " and frees its activations; its nodes live as long as a tensor refers to them");
}

// Why a step is or is not one on gradients left over from the step before.
std::string Explainer::StepEffect(const FunctionResult& r, ValueId id) const {
  std::vector<NodeId> clear, may;
  for (const GradOp& op : r.grad_ops) {
    const NodeId node = op.value == kNoValue ? kNoNode : r.body[op.value].node;
    if (node == kNoNode) continue;
    switch (op.kind) {
      case GradOpKind::kClear:
      case GradOpKind::kClearAll:
        clear.push_back(node);
        break;
      case GradOpKind::kMayClear:
      case GradOpKind::kMayClearAll:
        may.push_back(node);
        break;
      default:
        break;
    }
  }
  std::string out = "an optimizer step";
  auto stale = std::find_if(r.stale_steps.begin(), r.stale_steps.end(),
                            [&](const StaleStep& s) { return s.value == id; });
  if (stale != r.stale_steps.end() && !stale->only_if_repeated)
    return out + " on gradients that nothing clears in between";
  if (!clear.empty()) return out + "; gradients are cleared at " + Lines(clear);
  if (!may.empty())
    return out + "; the code at " + Lines(may) + " is not known and may clear the gradients";
  if (r.body.LoopOf(id) == kNoLoop) {
    return out +
           fmt::format("; no loop around it here, and whoever calls {} may clear the gradients",
                       Name(r.body.function));
  }
  return out + "; no backward() is seen to add to gradients that an earlier step has used";
}

std::string Explainer::UnknownCall(const FunctionResult& r, ValueId id, const Call& call) const {
  Origins handed;
  std::vector<std::string> names;
  for (const Argument& a : r.body.Arguments(call)) {
    const Origins o = Deep(r, r.values[Index(a.value)]).origins & r.graph_mask;
    if (o.any()) names.push_back(Code(r.body[a.value].node));
    handed |= o;
  }
  const Value& v = r.values[Index(id)];
  const bool makes = std::any_of(r.origins.begin(), r.origins.end(), [&](const flow::Origin& o) {
    return o.value == id && o.makes_graph;
  });
  if (makes) return {};  // told with the value
  const bool method =
      call.receiver != kNoValue && r.values[Index(call.receiver)].Is(Kind::kUnknown);
  std::string out = method ? fmt::format("{} is not known here, and neither is what this does",
                                         Code(r.body[call.receiver].node))
                           : "not known here";
  if (!names.empty()) {
    out += fmt::format(
        "; is handed {} with its graph and may keep or differentiate it, so nothing is claimed "
        "about "
        "that graph afterwards",
        fmt::join(names, ", "));
  } else {
    out += "; taken to be harmless, and to give nothing with a graph";
  }
  const bool like_module =
      call.callee_slot != kNoSlot && r.body.slots[Index(call.callee_slot)].depth == 0;
  if (names.empty() && like_module && v.Is(Kind::kUnknown)) {
    out +=
        ". If it is a module, an annotation (`: nn.Module`), a name such as `model`, or a call "
        "such as "
        "`.parameters()` or `.eval()` on it would tell";
  }
  return out;
}

std::string Explainer::ModeEffect(const FunctionResult& r, const Call& call,
                                  std::uint32_t effects) const {
  std::string_view what = effects & facts::kGradOff ? "turns grad off" : "turns grad on";
  if (effects & facts::kGradSet) {
    const Value flag = call.argc == 0 ? Value{} : r.values[Index(r.body.Arguments(call)[0].value)];
    what = flag.Has(kIsFalse)  ? "turns grad off"
           : flag.Has(kIsTrue) ? "turns grad on"
                               : "turns grad on or off, by its argument";
  }
  const NodeId parent = tree().Parent(call.node);
  if (parent == kNoNode || tree().kind(parent) != syntax::Kind::kExpressionStatement) {
    return fmt::format("{} in the block or function that it guards", what);
  }
  if (effects & facts::kGradSet) return fmt::format("{} from here on", what);
  return "does nothing: the context is made and not entered, as `with` would";
}

std::string Explainer::CallEffect(const FunctionResult& r, ValueId id, const Call& call) const {
  for (const Backward& b : r.backwards) {
    if (b.value == id) return BackwardEffect(r, b);
  }
  for (const GradOp& op : r.grad_ops) {
    if (op.value != id) continue;
    if (op.kind == GradOpKind::kStep) return StepEffect(r, id);
    if (op.kind == GradOpKind::kClear || op.kind == GradOpKind::kClearAll)
      return "clears gradients";
    if (op.kind == GradOpKind::kMayClear || op.kind == GradOpKind::kMayClearAll) {
      return "not known here; may clear gradients";
    }
  }
  for (const CallEdge& e : r.calls) {
    if (e.callee == sema::kNoFunction || e.value != id) continue;
    std::string out = fmt::format("runs {} ({})", Name(e.callee), Place(e.callee));
    const std::string summary = SummaryText(e.callee);
    if (!summary.empty()) out += ": it " + summary;
    if (world_.result(e.callee).over_budget) out += "; that function is too large to be analysed";
    return out;
  }
  if (std::string store = StoreEffect(r, id); !store.empty()) return store;
  const facts::Fact* fact = FactOf(r, call);
  const bool forward = std::any_of(r.forwards.begin(), r.forwards.end(),
                                   [&](const Forward& f) { return f.value == id; });
  const bool hook = std::any_of(r.hooks.begin(), r.hooks.end(),
                                [&](const HookAdded& h) { return h.value == id; });
  if (fact != nullptr) {
    constexpr std::uint32_t kMode = facts::kGradOff | facts::kGradOn | facts::kGradSet;
    if (fact->effects & kMode) return ModeEffect(r, call, fact->effects);
    if (fact->effects & facts::kEvalMode && !(fact->effects & facts::kTrainMode)) {
      return "puts layers such as dropout into eval mode; it does not turn grad off";
    }
    Origins handed;
    for (const Argument& a : r.body.Arguments(call))
      handed |= Deep(r, r.values[Index(a.value)]).origins;
    const bool told = (fact->effects & facts::kHarmless) && (handed & r.graph_mask).any();
    return told ? "neither keeps nor differentiates what it is given" : "";
  }
  const Value& callee = call.callee == kNoValue ? Value{} : r.values[Index(call.callee)];
  if (callee.Is(Kind::kModule) && !forward &&
      (r.modes[Index(id)] == GradMode::kOff || r.entry_mode == GradMode::kOff)) {
    return "runs a module with grad off: it makes no graph and keeps no activations";
  }
  const bool tensor =
      r.values[Index(id)].Is(Kind::kTensor) && r.values[Index(id)].strength != Strength::kWeak;
  const bool known = forward || hook || tensor || callee.Is(Kind::kModule) ||
                     callee.Is(Kind::kClass) || call.of_torch;
  return known ? std::string{} : UnknownCall(r, id, call);
}

Explainer::Keeping Explainer::KeptBy(const FunctionResult& r, ValueId id) const {
  const Instr& in = r.body[id];
  switch (in.op) {
    case Op::kCall: {
      const Call& call = r.body.calls[in.aux];
      const facts::Fact* fact = FactOf(r, call);
      constexpr std::uint32_t kAnyStore = facts::kStores | facts::kStoresAll;
      if (fact == nullptr || !(fact->effects & kAnyStore) || call.argc == 0) return {};
      const auto subject = fact->subject > 0 ? static_cast<std::uint32_t>(fact->subject) : 0u;
      const Argument& kept = r.body.Arguments(call)[subject < call.argc ? subject : 0];
      return {kept.value, call.receiver, (fact->effects & facts::kStoresAll) != 0, false};
    }
    case Op::kSetItem:
      return {r.body.Operand(in, 2), r.body.Operand(in, 0), false, false};
    case Op::kSetAttr:
    case Op::kAppend:
      return {r.body.Operand(in, 1), kNoValue, false, false};
    case Op::kStore: {
      const Slot& slot = r.body.slots[in.aux];
      const bool chain = in.aux8 == 1 || in.aux8 == 2;
      const Op made = r.body[r.body.Operand(in, 0)].op;
      const bool local = slot.is_local && slot.depth == 0;
      if (in.aux8 >= 4 || (local && !chain)) return {};
      if (chain && made != Op::kAugment && made != Op::kBinary) return {};
      return {r.body.Operand(in, 0), kNoValue, false, chain};
    }
    default:
      return {};
  }
}

// A store that is no event: what is kept has no graph, or the place is not known.
std::string Explainer::StoreEffect(const FunctionResult& r, ValueId id) const {
  const Keeping kept = KeptBy(r, id);
  if (kept.stored == kNoValue || StoreAt(r, id) != nullptr) return {};
  const Value& v = r.values[Index(kept.stored)];
  const std::string what = kept.sum ? "the sum" : Code(r.body[kept.stored].node);
  if (kept.sum && v.Is(Kind::kNumber)) return "adds up plain values: no graph is kept";
  if (v.Is(Kind::kNumber) || v.Is(Kind::kNone)) {
    return fmt::format("keeps {}, a plain value without a graph", what);
  }
  if ((Deep(r, v).origins & r.graph_mask).none()) {
    const bool told = v.Is(Kind::kModule) || v.Is(Kind::kOptimizer) || v.Is(Kind::kFunction) ||
                      v.Is(Kind::kInstance) || v.Is(Kind::kLoader);
    if (told) return {};
    return kept.elements
               ? fmt::format("keeps the elements of {}, and nothing says that they have a graph",
                             what)
               : fmt::format("keeps {}, and nothing says that it has a graph", what);
  }
  if (kept.place != kNoValue && r.values[Index(kept.place)].objects == 0) {
    return fmt::format(
        "hands {} to {}, of which nothing is known: it may keep it or not, so nothing is claimed",
        what, Code(r.body[kept.place].node));
  }
  if (r.body[id].op == Op::kAppend) {
    return fmt::format("gives {} to the one who asks for the next element; nothing is kept", what);
  }
  return fmt::format("keeps {}, but not beyond the turn or call that makes it", what);
}

std::string Explainer::Effect(const FunctionResult& r, ValueId id) const {
  const Instr& in = r.body[id];
  switch (in.op) {
    case Op::kCall:
      return CallEffect(r, id, r.body.calls[in.aux]);
    case Op::kStore:
    case Op::kSetItem:
    case Op::kSetAttr:
    case Op::kAppend:
      return StoreEffect(r, id);
    case Op::kReturn:
    case Op::kYield: {
      const Value deep = Deep(r, r.values[Index(r.body.Operand(in, 0))]);
      if ((deep.origins & r.graph_mask).none()) return {};
      if (in.op == Op::kYield)
        return "hands the graph to whoever iterates, who may differentiate it";
      if (!r.has_callers)
        return "hands the graph to callers that are not in this file, who may differentiate it";
      if (r.result_differentiated)
        return "hands the graph to a caller in this file, which differentiates it";
      return "hands the graph to callers in this file; none is seen to differentiate it";
    }
    default:
      return {};
  }
}

}  // namespace torchleak::flow
