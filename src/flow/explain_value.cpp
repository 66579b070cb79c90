// What is known of one value, and how surely.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "flow/explain_internal.h"
#include "flow/names.h"

namespace torchleak::flow {

using syntax::kNoNode;
using syntax::NodeId;

namespace {

constexpr std::uint32_t kOfFacts =
    0x80000000u;  // of Value::ref: an index into the facts, not a class

std::string_view SizeWords(Size size) {
  return size == Size::kScalar ? ", one number" : size == Size::kSized ? ", many numbers" : "";
}

std::string_view PlaceWords(Residency residency) {
  return residency == Residency::kHost     ? ", on the host"
         : residency == Residency::kDevice ? ", on the device"
                                           : "";
}

std::string_view Simple(Kind kind) {
  switch (kind) {
    case Kind::kBottom:
      return "never reached";
    case Kind::kNumber:
      return "a plain value (number, text, array): no graph";
    case Kind::kNone:
      return "None";
    case Kind::kScaler:
      return "a gradient scaler";
    case Kind::kHandle:
      return "the handle of a hook";
    case Kind::kContext:
      return "a context for `with`";
    case Kind::kParameters:
      return "parameters of a module";
    case Kind::kEngine:
      return "a training engine, which may run backward() and clear gradients by itself";
    case Kind::kWriter:
      return "a logger, which turns what it is given into numbers at once";
    default:
      return {};
  }
}

}  // namespace

// The first use of the same variable or attribute whose method tells what it is.
std::string Explainer::TellingUse(const FunctionResult& r, ValueId id,
                                  std::uint16_t evidence) const {
  const Instr& in = r.body[id];
  if (in.op != Op::kLoad && in.op != Op::kParam) return {};
  const SlotId slot =
      in.op == Op::kLoad ? SlotId{in.aux} : SlotId{r.body.instrs[Index(id) + 1].aux};
  const Slot& mine = r.body.slots[Index(slot)];
  for (const FunctionResult& other : world_.results()) {
    for (const Call& call : other.body.calls) {
      if (call.receiver_slot == kNoSlot || call.method == sema::kNoName) continue;
      const Slot& s = other.body.slots[Index(call.receiver_slot)];
      const bool same =
          mine.depth == 0 ? s.depth == 0 && s.root == mine.root : s.attribute == mine.attribute;
      if (!same || !(facts::EvidenceOfMethod(Text(call.method)) & evidence)) continue;
      return Code(call.node) + " (" + Line(call.node) + ")";
    }
  }
  return {};
}

std::string Explainer::ModuleWords(const FunctionResult& r, ValueId id, const Value& v) const {
  std::string out = v.Is(Kind::kOptimizer)   ? "an optimizer"
                    : v.Is(Kind::kScheduler) ? "a learning-rate scheduler"
                    : v.Is(Kind::kLoader)    ? "a loader: its batches come without a graph"
                                             : "a module";
  const std::uint16_t bit = v.Is(Kind::kOptimizer)   ? facts::kIsOptimizer
                            : v.Is(Kind::kScheduler) ? facts::kIsScheduler
                            : v.Is(Kind::kLoader)    ? facts::kIsLoader
                                                     : facts::kIsModule;
  if (v.ref != kNoRef && v.ref < kOfFacts && v.ref < module().classes().size() &&
      v.Is(Kind::kModule)) {
    const sema::Class& c = module()[sema::ClassId{v.ref}];
    out += fmt::format(", of class `{}` ({})", Text(c.name), Line(c.node));
  } else if (v.ref != kNoRef && v.ref >= kOfFacts && (v.ref & ~kOfFacts) < facts::All().size() &&
             v.Is(Kind::kModule)) {
    out += fmt::format(", `{}`", facts::All()[v.ref & ~kOfFacts].name);
  } else if (std::string use = TellingUse(r, id, bit); !use.empty()) {
    out += "; " + use + " tells";
  } else if (v.strength == Strength::kWeak) {
    out += ", judged by its name alone";
  } else if (v.strength == Strength::kMedium) {
    out += ", most likely: its name and its use fit";
  }
  if (v.Has(kInEvalMode)) out += "; in eval mode on every path";
  if (v.Has(kFrozen)) out += "; its parameters need no gradient";
  return out;
}

std::string Explainer::Origin(const FunctionResult& r, const flow::Origin& o) const {
  switch (o.kind) {
    case OriginKind::kHookArgument:
      return fmt::format("an activation, with the graph that it has when it comes into {}",
                         Name(r.body.function));
    case OriginKind::kCallee:
      return fmt::format("made inside the call {} ({})", Code(o.node), Line(o.node));
    case OriginKind::kModuleCall:
      return fmt::format("made by the module call {} ({})", Code(o.node), Line(o.node));
    default:
      return fmt::format("made by {} ({})", Code(o.node), Line(o.node));
  }
}

std::string Explainer::Certainty(const flow::Origin& maker) const {
  const bool module = maker.kind == OriginKind::kModuleCall;
  switch (maker.strength) {
    case Strength::kStrong:
      return "certain";
    case Strength::kMedium:
      return module ? "likely: as sure as that it is a module" : "likely";
    default:
      return module ? "a guess: only a name says that it is a module"
                    : "a guess: only a name speaks for it";
  }
}

// Why a tensor has no graph, where its making shows it.
std::string Explainer::NoGraph(const FunctionResult& r, ValueId id) const {
  const ValueId made = Definition(r, id);
  const Instr& in = r.body[made];
  const std::string at = made == id ? std::string{} : " (" + Line(in.node) + ")";
  if (in.op == Op::kCompare) return "no graph: a comparison has none" + at;
  if (in.op == Op::kCall) {
    const Call& call = r.body.calls[in.aux];
    const facts::Fact* fact = FactOf(r, call);
    if (fact != nullptr && fact->graph == facts::Graph::kDrops) {
      const std::string name(fact->name.substr(fact->name.rfind('.') + 1));
      return fmt::format("no graph: `{}()` {}{}", name,
                         call.receiver != kNoValue ? "drops it" : "gives none", at);
    }
  }
  if (in.op == Op::kGetAttr || in.op == Op::kLoad) {
    const std::string_view text = tree().Text(in.node);
    if (text.ends_with(".data") || text.ends_with(".grad"))
      return "no graph: `.data` and `.grad` carry none" + at;
  }
  if (r.modes[Index(made)] == GradMode::kOff) return "no graph: made with grad off" + at;
  if (r.entry_mode == GradMode::kOff && r.modes[Index(made)] == GradMode::kInherit)
    return "no graph: grad is off in every call";
  return "no graph: nothing that it is made from is known to carry one";
}

std::string Explainer::GraphWords(const FunctionResult& r, ValueId id, const Value& v) const {
  const Value deep = Deep(r, v);
  Strength strength{};
  bool in_eval = false;
  const Graph graph = builder_.GraphOf(r, deep.origins, &strength, &in_eval);
  const flow::Origin* maker = nullptr;
  const flow::Origin* from = nullptr;  // a parameter, or what a place held at entry
  std::vector<const flow::Origin*> makers;
  for (std::size_t i = 0; i < r.origins.size() && i < kOverflowOrigin; ++i) {
    if (!deep.origins.test(i)) continue;
    const flow::Origin& o = r.origins[i];
    if (!o.makes_graph) {
      if (o.kind == OriginKind::kParam || o.kind == OriginKind::kEntry) from = &o;
      continue;
    }
    makers.push_back(&o);
    if (maker == nullptr || o.strength > maker->strength ||
        (o.strength == maker->strength && Index(o.value) > Index(maker->value))) {
      maker = &o;
    }
  }
  if (graph == Graph::kNone || maker == nullptr) {
    if (maker == nullptr && from != nullptr && from->kind == OriginKind::kParam) {
      return fmt::format("has a graph if what {} is called with has one: callers decide",
                         Name(r.body.function));
    }
    if (maker == nullptr && from != nullptr)
      return "has the graph that its place held before, if any";
    return NoGraph(r, id);
  }
  std::string out = graph == Graph::kLive ? "carries a live graph, " : "carries a graph, ";
  if (maker->kind == OriginKind::kHookArgument)
    out = graph == Graph::kLive ? "carries a live graph: " : "carries a graph: ";
  out += Origin(r, *maker);
  const auto others = std::count_if(makers.begin(), makers.end(), [&](const flow::Origin* o) {
    if (o == maker || o->node == kNoNode || maker->node == kNoNode) return false;
    const bool within =
        o->node >= maker->node && o->node < tree().End(maker->node);  // crit(model(x), y)
    return !within;
  });
  if (others > 0) out += fmt::format(" and {} more", others);
  for (const Backward& b : r.backwards) {
    if ((b.origins & deep.origins & r.graph_mask).none()) continue;
    const bool proof = maker->strength == Strength::kStrong;
    return out +
           fmt::format("; {} ({}) {}{}", Code(b.node), Line(b.node), proof ? "proves it, and " : "",
                       b.retains ? "keeps it whole" : "frees its activations; the nodes stay");
  }
  return out + "; " + Certainty(*maker);
}

std::string Explainer::Container(const FunctionResult& r, const Value& v) const {
  std::string out = "a container";
  for (Objects left = v.objects; left != 0; left &= left - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(left));
    if (i >= r.objects.size())
      return "a container, among more than can be followed in one function";
    const Object& o = r.objects[i];
    if (o.generator) return "a generator: one element at a time, nothing is kept";
    if (o.kind == ObjectKind::kEntry) {
      out += " from outside this call";
    } else if (o.value != kNoValue) {
      out +=
          fmt::format(" made by {} ({})", Code(r.body[o.value].node), Line(r.body[o.value].node));
    }
    if (o.bounded) out += " that drops old elements by itself";
    break;
  }
  const std::string holds = HoldsWords(r, v);
  return out + (holds.empty() ? "; nothing with a graph is known to be put in" : "; " + holds);
}

// What a container holds, or whatever it is that values are put into; empty when none carries a
// graph.
std::string Explainer::HoldsWords(const FunctionResult& r, const Value& v) const {
  const Value deep = Deep(r, v);
  Strength strength{};
  bool in_eval = false;
  const Graph graph = builder_.GraphOf(r, deep.origins, &strength, &in_eval);
  if (graph == Graph::kNone) return {};
  const std::string out = graph == Graph::kLive
                              ? "holds tensors with live graphs"
                              : "holds tensors with walked graphs, whose nodes stay";
  for (std::size_t i = 0; i < r.origins.size() && i < kOverflowOrigin; ++i) {
    if (deep.origins.test(i) && r.origins[i].makes_graph)
      return out + ", " + Origin(r, r.origins[i]);
  }
  return out;
}

Explainer::Description Explainer::Describe(const FunctionResult& r, ValueId id) const {
  const Value& v = r.values[Index(id)];
  if (std::string_view simple = Simple(v.kind); !simple.empty()) return {std::string(simple), {}};
  switch (v.kind) {
    case Kind::kModule:
    case Kind::kOptimizer:
    case Kind::kScheduler:
    case Kind::kLoader:
      return {ModuleWords(r, id, v), {}};
    case Kind::kContainer:
      return {Container(r, v), {}};
    case Kind::kFunction:
    case Kind::kClass:
    case Kind::kInstance:
      return {Definition(v), {}};
    case Kind::kTensor:
      return {fmt::format("a tensor{}{}", SizeWords(v.size), PlaceWords(v.residency)),
              GraphWords(r, id, v)};
    default:
      break;
  }
  std::string what = Unknown(r, id);
  if (v.residency == Residency::kDevice) what += "; on the device";
  if ((v.origins & r.graph_mask).any())
    return {std::move(what), "if it is a tensor, it " + GraphWords(r, id, v)};
  if (std::string holds = HoldsWords(r, v); !holds.empty())
    what += "; values are put into it: it " + holds;
  return {std::move(what), {}};
}

std::string Explainer::Unknown(const FunctionResult& r, ValueId id) const {
  if (r.body[id].op == Op::kParam || r.values[Index(id)].Has(kBareParam)) {
    return fmt::format("argument of {}; nothing here tells what it is", Name(r.body.function));
  }
  const Instr* made = &r.body[Definition(r, id)];
  const bool part = made->op == Op::kUnpack;
  if (part) made = &r.body[r.body.Operand(*made, 0)];
  if (made->op == Op::kIterate) {
    return (part ? "a part of an element of " : "an element of ") +
           Code(r.body[r.body.Operand(*made, 0)].node);
  }
  return "not known: nothing in this file tells what it is";
}

// Functions, classes and instances of this file.
std::string Explainer::Definition(const Value& v) const {
  if (v.Is(Kind::kFunction)) {
    if (v.ref >= module().functions().size()) return "a function";
    const sema::FunctionId id{v.ref};
    if (module()[id].is_lambda) return "a lambda (" + Line(module()[id].node) + ")";
    return fmt::format("the function {} of this file ({})", Name(id), Line(module()[id].node));
  }
  if (v.ref >= module().classes().size()) return v.Is(Kind::kClass) ? "a class" : "an object";
  const sema::Class& c = module()[sema::ClassId{v.ref}];
  return fmt::format("{} `{}` ({})", v.Is(Kind::kClass) ? "the class" : "an object of class",
                     Text(c.name), Line(c.node));
}

}  // namespace torchleak::flow
