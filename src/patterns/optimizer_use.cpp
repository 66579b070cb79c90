#include "patterns/optimizer_use.h"

#include <algorithm>

#include "patterns/words.h"

namespace torchleak::patterns {

using flow::Body;
using flow::FunctionResult;
using flow::LoopId;
using flow::Op;
using flow::ValueId;
using sema::Index;
using syntax::Field;
using syntax::Kind;
using syntax::kNoNode;
using syntax::NodeId;

namespace {

bool Has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

std::string_view LastPart(std::string_view name) { return name.substr(name.rfind('.') + 1); }

bool MakesOptimizer(const CallSite& site) {
  return site.fact()->is_class && site.fact()->result == facts::Result::kOptimizer;
}

}  // namespace

std::vector<ClearToZerosEvent> ClearsToZeros(const Sight& sight) {
  std::vector<ClearToZerosEvent> events;
  for (const std::string_view word : {"CUDAGraph", "cuda.graph", "make_graphed", "cuda_graph",
                                      ".grad +=", ".grad.add_(", ".grad.copy_("})
    if (sight.Mentions(word)) return events;
  for (const CallSite& site : sight.calls().OfMethod("zero_grad")) {
    const flow::Argument* to_none = sight.ArgumentOf(site, "set_to_none", 0);
    if (to_none == nullptr || !sight.IsConstant(*site.r, to_none->value, Op::kFalse)) continue;
    const sema::Module& module = sight.module();
    if (module.Text(module[site.r->body.function].name) == "zero_grad") continue;
    ClearToZerosEvent e;
    Place(sight, site, &e);
    const NodeId callee = module.tree().Child(site.call->node, Field::kFunction);
    const NodeId receiver =
        callee == kNoNode ? kNoNode : module.tree().Child(callee, Field::kObject);
    if (receiver != kNoNode) e.receiver = sight.Short(receiver);
    e.flow.push_back({e.span, "the gradients are filled with zeros and stay"});
    events.push_back(std::move(e));
  }
  return events;
}

namespace {

// `p` of {"params": p} and {"params": [p]}; kNoNode for other dicts.
NodeId OnlyParam(const Sight& sight, NodeId dict) {
  const syntax::Tree& tree = sight.module().tree();
  for (const NodeId pair : tree.Children(dict)) {
    if (tree.kind(pair) != Kind::kPair) continue;
    const NodeId key = tree.Child(pair, Field::kKey);
    NodeId value = tree.Child(pair, Field::kValue);
    if (key == kNoNode || value == kNoNode) continue;
    const std::string_view name = sight.Text(key);
    if (name.size() != 8 || name.substr(1, 6) != "params") continue;
    if (tree.kind(value) == Kind::kList) {
      const NodeId first = tree.FirstChild(value);
      if (first == kNoNode || tree.NextSibling(first) != kNoNode) return kNoNode;
      value = first;
    }
    return tree.kind(value) == Kind::kIdentifier ? value : kNoNode;
  }
  return kNoNode;
}

// A loop over the parameters of a model, of which `param` is the present one.
bool OverParameters(const Sight& sight, const Body& body, LoopId loop, NodeId param) {
  for (; loop != flow::kNoLoop; loop = body.loops[Index(loop)].parent) {
    const flow::Loop& at = body.loops[Index(loop)];
    if (!sight.Refers(sight.TargetOf(body, loop), sight.module().BindingOf(param))) continue;
    return at.iterable != kNoNode && Has(sight.Text(at.iterable), "parameters(");
  }
  return false;
}

// The optimizer of this function that is given the groups; nullptr when none is.
const CallSite* OptimizerOf(const Sight& sight, const FunctionResult& r, NodeId dict) {
  const text::Span span = sight.Span(dict);
  const NodeId statement = sight.Around(dict, Kind::kExpressionStatement);
  const std::string_view line = statement == kNoNode ? "" : sight.Text(statement);
  const std::string_view name = line.substr(0, line.find_first_of(" .=+["));
  for (const CallSite& site : sight.calls().OfFacts()) {
    if (site.r != &r || !MakesOptimizer(site)) continue;
    const flow::Argument* groups = sight.ArgumentOf(site, "params", 0);
    if (groups == nullptr) continue;
    const text::Span at = sight.Span(site.call->node);
    if (at.begin <= span.begin && span.end <= at.end) return &site;
    const NodeId node = r.body[groups->value].node;
    if (node != kNoNode && !name.empty() && sight.Text(node) == name) return &site;
  }
  return nullptr;
}

// params.append({…}), then merged(params): what becomes of the groups is for others to say.
bool Regrouped(const Sight& sight, const FunctionResult& r, NodeId dict) {
  const NodeId statement = sight.Around(dict, Kind::kExpressionStatement);
  const std::string_view line = statement == kNoNode ? "" : sight.Text(statement);
  const std::string_view name = line.substr(0, line.find_first_of(" .=+["));
  if (name.empty()) return false;
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
    if (r.body.instrs[i].op != Op::kCall || r.body.instrs[i].node == kNoNode) continue;
    const flow::Call& call = r.body.calls[r.body.instrs[i].aux];
    if (call.fact != nullptr || !HoldsAny(LastName(CalledText(sight, call)), {"group", "param"}))
      continue;
    if (sight.Span(call.node).begin < sight.Span(dict).end) continue;
    for (const flow::Argument& a : r.body.Arguments(call)) {
      const flow::Instr& given = r.body[a.value];
      if (given.op == Op::kLoad && given.node != kNoNode && sight.Text(given.node) == name)
        return true;
    }
  }
  return false;
}

}  // namespace

std::vector<SingleGroupEvent> SingleGroups(const Sight& sight) {
  std::vector<SingleGroupEvent> events;
  for (const FunctionResult& r : sight.world().results()) {
    if (!r.analyzed) continue;
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      const flow::Instr& in = r.body.instrs[i];
      const LoopId loop = r.body.LoopOf(ValueId{i});
      if (in.op != Op::kDict || loop == flow::kNoLoop || in.node == kNoNode) continue;
      if (sight.module().tree().kind(in.node) != Kind::kDictionary) continue;
      const NodeId param = OnlyParam(sight, in.node);
      if (param == kNoNode || !OverParameters(sight, r.body, loop, param)) continue;
      if (Regrouped(sight, r, in.node)) continue;
      SingleGroupEvent e;
      e.function = r.body.function;
      e.span = sight.Span(in.node);
      e.strength = flow::Strength::kStrong;
      e.in_test = sight.InTest(e.function);
      e.record = i;
      e.flow.push_back({e.span, "a group of a single parameter"});
      e.flow.push_back({sight.HeaderSpan(loop, r.body), "one for each turn of this loop"});
      if (const CallSite* optimizer = OptimizerOf(sight, r, in.node); optimizer != nullptr)
        e.span = sight.Span(optimizer->call->node);
      if (!events.empty() && events.back().span == e.span) continue;  // if … else, one optimizer
      events.push_back(std::move(e));
    }
  }
  return events;
}

namespace {

// Through epochs, which go on with the same weights; folds and trials begin anew.
bool OverEpochs(const Sight& sight, const Body& body, LoopId loop) {
  const flow::Loop& at = body.loops[Index(loop)];
  const NodeId target = sight.TargetOf(body, loop);
  return (target != kNoNode && Has(sight.Text(target), "epoch")) ||
         (at.iterable != kNoNode && Has(sight.Text(at.iterable), "epoch"));
}

// Where weights are taken back, what was learnt of them is of no use either.
bool BeginsAnew(const Sight& sight, NodeId code) {
  const std::string_view text = sight.Text(code);
  for (const std::string_view word :
       {"deepcopy", "load_state_dict", "reset_param", "init_weights",
        "requires_grad =", "requires_grad_(", "reset(", ".apply(", "freeze", "lr_find"}) {
    if (Has(text, word)) return true;
  }
  return false;
}

bool MadeAnewIn(const Sight& sight, const FunctionResult& r, ValueId at, NodeId arguments) {
  const LoopId loop = sight.LoopAround(r, at);
  if (loop == flow::kNoLoop) return false;
  const Often often = sight.HowOften(r, at);
  const bool counts = often == Often::kEachStep ||
                      (often == Often::kEachEpoch && OverEpochs(sight, r.body, loop)) ||
                      (often == Often::kEachTurn && OverEpochs(sight, r.body, loop));
  return counts && !BeginsAnew(sight, r.body.loops[Index(loop)].node) &&
         sight.SameInEachTurn(r, arguments, loop);
}

void NoteLoop(const Sight& sight, const FunctionResult& r, ValueId at, NewOptimizerEvent* e) {
  e->flow.push_back(
      {sight.HeaderSpan(sight.LoopAround(r, at), r.body), "once more in every turn of this loop"});
}

// Calls of the function in a loop, each with the same model.
void CallsOf(const Sight& sight, const CallSite& made, std::vector<NewOptimizerEvent>* out) {
  const sema::FunctionId function = made.r->body.function;
  const sema::Function& f = sight.module()[function];
  const std::string_view name = sight.module().Text(f.name);
  if (name.empty() || !made.r->summary.steps || BeginsAnew(sight, f.node)) return;
  for (const FunctionResult& r : sight.world().results()) {
    for (const flow::CallEdge& edge : r.calls) {
      if (edge.callee != function || r.body[edge.value].op != Op::kCall) continue;
      const NodeId call = r.body[edge.value].node;
      const NodeId arguments = sight.module().tree().Child(call, Field::kArguments);
      const LoopId loop = sight.LoopAround(r, edge.value);
      if (loop == flow::kNoLoop || arguments == kNoNode) continue;
      const bool epochs = OverEpochs(sight, r.body, loop) || Has(name, "epoch");
      const Often often = sight.HowOften(r, edge.value);
      if (!epochs || (often != Often::kEachEpoch && often != Often::kEachTurn)) continue;
      if (BeginsAnew(sight, r.body.loops[Index(loop)].node)) continue;
      const flow::Argument* first = nullptr;
      for (const flow::Argument& a : r.body.Arguments(r.body.calls[r.body[edge.value].aux]))
        if (first == nullptr) first = &a;
      const NodeId model = first == nullptr ? kNoNode : r.body[first->value].node;
      if (model != kNoNode && !Has(sight.Text(model), "epoch") &&
          !sight.SameInEachTurn(r, model, loop))
        continue;
      NewOptimizerEvent e;
      Place(sight, {&r, edge.value, &r.body.calls[r.body[edge.value].aux]}, &e);
      e.name = LastPart(made.fact()->name);
      e.in_helper = true;
      e.flow.push_back({sight.Span(made.call->node), "made here"});
      e.flow.push_back({e.span, "through this call"});
      NoteLoop(sight, r, edge.value, &e);
      out->push_back(std::move(e));
    }
  }
}

}  // namespace

std::vector<NewOptimizerEvent> NewOptimizers(const Sight& sight) {
  std::vector<NewOptimizerEvent> events;
  for (const CallSite& site : sight.calls().OfFacts()) {
    if (!MakesOptimizer(site)) continue;
    const flow::Argument* params = sight.ArgumentOf(site, "params", 0);
    const NodeId node = params == nullptr ? kNoNode : site.r->body[params->value].node;
    const NodeId arguments = sight.module().tree().Child(site.call->node, Field::kArguments);
    if (node == kNoNode || arguments == kNoNode || !Has(sight.Text(node), "param")) continue;
    if (sight.LoopAround(*site.r, site.value) == flow::kNoLoop) {
      if (sight.Around(site.call->node, Kind::kReturnStatement) == kNoNode &&
          !sight.OnCondition(*site.r, site.value))
        CallsOf(sight, site, &events);
      continue;
    }
    if (!MadeAnewIn(sight, *site.r, site.value, arguments)) continue;
    NewOptimizerEvent e;
    Place(sight, site, &e);
    e.name = LastPart(site.fact()->name);
    e.flow.push_back({e.span, "made here"});
    NoteLoop(sight, *site.r, site.value, &e);
    events.push_back(std::move(e));
  }
  std::ranges::stable_sort(events, {}, [](const auto& e) { return e.span.begin; });
  return events;
}

}  // namespace torchleak::patterns
