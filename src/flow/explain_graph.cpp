// Graphs: who made the one that a value carries, what is left of it, how sure that is.
#include <fmt/format.h>

#include <algorithm>

#include "flow/explain_internal.h"

namespace torchleak::flow {

using syntax::kNoNode;

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

}  // namespace torchleak::flow
