#include "patterns/made_in_place.h"
#include "patterns/words.h"

#include <algorithm>
#include <array>

namespace torchleak::patterns {

using flow::FunctionResult;
using flow::LoopId;
using flow::Op;
using sema::Index;
using syntax::Field;
using syntax::Kind;
using syntax::kNoNode;
using syntax::NodeId;

namespace {

std::string_view LastPart(std::string_view name) { return name.substr(name.rfind('.') + 1); }

constexpr std::array<std::string_view, 3> kCompilers{"torch.jit.trace", "torch.jit.script",
                                                     "torch.jit.trace_module"};

// The code that runs again: the loop, or forward() itself.
NodeId AgainAndAgain(const Sight& sight, const CallSite& site) {
  const FunctionResult& r = *site.r;
  const LoopId loop = sight.LoopAround(r, site.value);
  if (loop == flow::kNoLoop) {
    const bool forward = sight.world().role(r.body.function) == flow::Role::kForward &&
                         !sight.OnCondition(r, site.value);
    return forward ? sight.module()[r.body.function].node : kNoNode;
  }
  const Often often = sight.HowOften(r, site.value);
  if (often != Often::kEachTurn && often != Often::kEachStep) return kNoNode;
  if (r.body.loops[Index(loop)].is_short) return kNoNode;
  return r.body.loops[Index(loop)].node;
}

}  // namespace

namespace {

// fast(net, x) in a loop, where fast() compiles `net` and the loop does not change it.
bool ThroughHelper(const Sight& sight, const CallSite& site, syntax::NodeId what,
                   CompiledAgainEvent* e) {
  const FunctionResult& r = *site.r;
  const sema::Function& f = sight.module()[r.body.function];
  const Runs& runs = sight.HowFunctionRuns(r.body.function);
  if (runs.caller == sema::kNoFunction || sight.OnCondition(r, site.value)) return false;
  if (sight.LoopAround(r, site.value) != flow::kNoLoop || f.class_id != sema::kNoClass)
    return false;
  if (runs.often != Often::kEachStep && runs.often != Often::kEachTurn) return false;
  const FunctionResult& caller = sight.world().result(runs.caller);
  const LoopId loop = sight.LoopAround(caller, runs.at);
  if (loop == flow::kNoLoop || caller.body.loops[Index(loop)].is_short) return false;
  if (Has(sight.Text(f.node), "save(") ||
      Has(sight.Text(caller.body.loops[Index(loop)].node), "save("))
    return false;
  const std::string_view name = sight.Text(what);
  for (std::size_t i = 0; i < f.params.size(); ++i) {
    if (sight.module().Text(f.params[i].name) != name) continue;
    const CallSite call{&caller, runs.at, &caller.body.calls[caller.body[runs.at].aux]};
    const flow::Argument* model = sight.ArgumentOf(call, name, static_cast<int>(i));
    if (model == nullptr || caller.body[model->value].op != Op::kLoad) return false;
    if (!sight.SameInEachTurn(caller, caller.body[model->value].node, loop)) return false;
    e->flow.push_back({sight.Span(site.call->node), "compiled here"});
    e->flow.push_back({sight.Span(call.call->node), "its function is called here"});
    e->flow.push_back(
        {sight.HeaderSpan(loop, caller.body), "once more in every turn of this loop"});
    return true;
  }
  return false;
}

}  // namespace

std::vector<CompiledAgainEvent> CompiledAgain(const Sight& sight) {
  std::vector<CompiledAgainEvent> events;
  for (const std::string_view name : kCompilers) {
    for (const CallSite& site : sight.calls().Of(name)) {
      const FunctionResult& r = *site.r;
      const NodeId again = AgainAndAgain(sight, site);
      const flow::Argument* what = sight.ArgumentOf(site, "", 0);
      if (again == kNoNode && what != nullptr && r.body[what->value].op == Op::kLoad) {
        CompiledAgainEvent e;
        if (!ThroughHelper(sight, site, r.body[what->value].node, &e)) continue;
        Place(sight, site, &e);
        e.call = name;
        e.what = sight.Short(r.body[what->value].node);
        events.push_back(std::move(e));
        continue;
      }
      if (again == kNoNode || what == nullptr || r.body[what->value].op != Op::kLoad) continue;
      const LoopId loop = sight.LoopAround(r, site.value);
      const NodeId node = r.body[what->value].node;
      if (node == kNoNode || Has(sight.Text(again), "save(")) continue;
      if (loop != flow::kNoLoop && !sight.SameInEachTurn(r, node, loop)) continue;
      if (loop == flow::kNoLoop && !sight.Text(node).starts_with("self.")) continue;
      CompiledAgainEvent e;
      Place(sight, site, &e);
      e.call = name;
      e.what = sight.Short(node);
      e.flow.push_back({e.span, "compiled here"});
      if (loop != flow::kNoLoop) {
        e.flow.push_back({sight.HeaderSpan(loop, r.body), "once more in every turn of this loop"});
      }
      events.push_back(std::move(e));
    }
  }
  std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
  return events;
}

namespace {

// Layers that have weights of their own, whatever their arguments.
bool HasWeights(std::string_view name) {
  if (!name.starts_with("torch.nn.")) return false;
  name = LastPart(name);
  for (const std::string_view word :
       {"Linear", "Conv", "LSTM", "GRU", "RNN", "Embedding", "BatchNorm", "LayerNorm", "GroupNorm",
        "MultiheadAttention", "Transformer", "PReLU"})
    if (name.starts_with(word)) return true;
  return name == "Bilinear" || name == "SyncBatchNorm";
}

// A condition, or a handler, decides about it: `if self.out is None`.
bool Guarded(const Sight& sight, const CallSite& site) {
  return sight.OnCondition(*site.r, site.value) ||
         sight.HandlerAround(site.call->node) != kNoNode ||
         sight.Around(site.call->node, Kind::kConditionalExpression) != kNoNode ||
         sight.Around(site.call->node, Kind::kBooleanOperator) != kNoNode;
}

// Its weights are given to it: a fixed filter, shared weights.
bool WeightsSet(const Sight& sight, const CallSite& site) {
  const std::string_view code = sight.Text(sight.module()[site.r->body.function].node);
  for (const std::string_view word :
       {".weight =", ".weight.data", ".weight.copy_", "load_state_dict", "requires_grad", "init."})
    if (Has(code, word)) return true;
  return false;
}

// forward() itself, or a method that it calls on no condition.
bool RunsInForward(const Sight& sight, const FunctionResult& r) {
  const flow::Role role = sight.world().role(r.body.function);
  if (role == flow::Role::kForward || role == flow::Role::kTrainingStep) return true;
  if (!r.within_forward || r.within_init) return false;
  const Runs runs = sight.HowFunctionRuns(r.body.function);
  if (runs.caller == sema::kNoFunction) return false;
  const FunctionResult& caller = sight.world().result(runs.caller);
  return sight.world().role(runs.caller) == flow::Role::kForward &&
         !sight.OnCondition(caller, runs.at);
}

// `return nn.Sequential(nn.Conv2d(…), …)`, a factory that gives the layer to who calls it.
bool ReturnsLayer(const Sight& sight, const CallSite& site) {
  return sight.Around(site.call->node, Kind::kReturnStatement) != kNoNode &&
         sight.module()[site.r->body.function].class_id == sema::kNoClass;
}

// Calls of such a factory in forward(), on no condition.
void CallsOfFactory(const Sight& sight, const CallSite& made,
                    std::vector<LayerInForwardEvent>* events) {
  const sema::FunctionId factory = made.r->body.function;
  const std::string_view name = sight.module().Text(sight.module()[factory].name);
  for (const CallSite& site : sight.calls().OfName(name)) {
    if (sight.world().Resolve(site.r->body, *site.call).function != factory) continue;
    if (!RunsInForward(sight, *site.r) || Guarded(sight, site) || WeightsSet(sight, site)) continue;
    LayerInForwardEvent e;
    Place(sight, site, &e);
    e.layer = LastPart(made.fact()->name);
    e.flow.push_back({sight.Span(made.call->node), "made here"});
    e.flow.push_back({e.span, "in each call"});
    events->push_back(std::move(e));
  }
}

}  // namespace

std::vector<LayerInForwardEvent> LayersInForward(const Sight& sight) {
  std::vector<LayerInForwardEvent> events;
  for (const CallSite& site : sight.calls().OfFacts()) {
    if (!site.fact()->is_class || !HasWeights(site.fact()->name)) continue;
    if (Guarded(sight, site) || WeightsSet(sight, site)) continue;
    if (!RunsInForward(sight, *site.r)) {
      if (ReturnsLayer(sight, site)) CallsOfFactory(sight, site, &events);
      continue;
    }
    LayerInForwardEvent e;
    Place(sight, site, &e);
    e.layer = LastPart(site.fact()->name);
    const NodeId statement = sight.Around(site.call->node, Kind::kAssignment);
    const NodeId left =
        statement == kNoNode ? kNoNode : sight.module().tree().Child(statement, Field::kLeft);
    e.kept = left != kNoNode && sight.Text(left).starts_with("self.");
    e.flow.push_back({e.span, "made in each call"});
    events.push_back(std::move(e));
  }
  // One for each statement: of Sequential(Linear(…), Linear(…)) the first layer speaks.
  std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
  const syntax::Tree& tree = sight.module().tree();
  NodeId last = kNoNode;
  std::erase_if(events, [&](const LayerInForwardEvent& e) {
    NodeId statement = tree.At(e.span.begin);
    while (statement != kNoNode && tree.kind(statement) != Kind::kExpressionStatement &&
           tree.kind(statement) != Kind::kReturnStatement)
      statement = tree.Parent(statement);
    const bool again = statement != kNoNode && statement == last;
    last = statement;
    return again;
  });
  return events;
}

}  // namespace torchleak::patterns
