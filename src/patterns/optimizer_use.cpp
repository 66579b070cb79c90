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

std::string_view LastPart(std::string_view name) { return name.substr(name.rfind('.') + 1); }

bool MakesOptimizer(const CallSite& site) {
  return site.fact()->is_class && site.fact()->result == facts::Result::kOptimizer;
}

}  // namespace

namespace {

// The function or class at the top of the file that holds the node; kNoNode for code of the file.
NodeId TopDefinition(const Sight& sight, NodeId node) {
  const syntax::Tree& tree = sight.module().tree();
  NodeId top = kNoNode;
  for (NodeId n = node; n != kNoNode; n = tree.Parent(n))
    if (tree.kind(n) == Kind::kFunctionDefinition || tree.kind(n) == Kind::kClassDefinition)
      top = n;
  return top;
}

// Code that needs gradients to stay in place: it records CUDA graphs, or writes them by hand.
bool NeedsGradients(std::string_view code) {
  for (const std::string_view word : {"CUDAGraph", "cuda.graph", "make_graphed", "cuda_graph",
                                      ".grad +=", ".grad.add_(", ".grad.copy_("})
    if (Has(code, word)) return true;
  return false;
}

}  // namespace

std::vector<ClearToZerosEvent> ClearsToZeros(const Sight& sight) {
  std::vector<ClearToZerosEvent> events;
  const NodeId root = sight.module().tree().root();
  for (const CallSite& site : sight.calls().OfMethod("zero_grad")) {
    const flow::Argument* to_none = sight.ArgumentOf(site, "set_to_none", 0);
    if (to_none == nullptr || !sight.IsConstant(*site.r, to_none->value, Op::kFalse)) continue;
    const sema::Module& module = sight.module();
    if (module.Text(module[site.r->body.function].name) == "zero_grad") continue;
    const NodeId top = TopDefinition(sight, site.call->node);
    if (NeedsGradients(sight.Text(top == kNoNode ? root : top))) continue;
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

// The optimizer that is given what this function returns: `Adam(make_groups(model))`, or by way of
// a variable; nullptr when none is, or more than one.
const CallSite* OptimizerOfResult(const Sight& sight, const FunctionResult& r) {
  const std::string_view maker = sight.module().Text(sight.module()[r.body.function].name);
  const CallSite* found = nullptr;
  if (maker.empty()) return found;
  for (const CallSite& site : sight.calls().OfFacts()) {
    if (!MakesOptimizer(site)) continue;
    const flow::Argument* groups = sight.ArgumentOf(site, "params", 0);
    if (groups == nullptr) continue;
    const Body& body = site.r->body;
    ValueId from = groups->value;
    if (body[from].op == Op::kLoad) {
      for (std::uint32_t i = 0; i < Index(groups->value); ++i)
        if (body.instrs[i].op == Op::kStore && body.instrs[i].aux == body[groups->value].aux)
          from = body.Operand(body.instrs[i], 0);
    }
    if (from == flow::kNoValue || body[from].op != Op::kCall) continue;
    if (sight.world().Resolve(body, body.calls[body[from].aux]).function != r.body.function)
      continue;
    if (found != nullptr) return nullptr;
    found = &site;
  }
  return found;
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
  return OptimizerOfResult(sight, r);
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

bool MadeAnewIn(const Sight& sight, const FunctionResult& r, ValueId at, NodeId params) {
  const LoopId loop = sight.LoopAround(r, at);
  if (loop == flow::kNoLoop) return false;
  const Often often = sight.HowOften(r, at);
  const bool counts = often == Often::kEachStep ||
                      (often == Often::kEachEpoch && OverEpochs(sight, r.body, loop)) ||
                      (often == Often::kEachTurn && OverEpochs(sight, r.body, loop));
  return counts && !BeginsAnew(sight, r.body.loops[Index(loop)].node) &&
         sight.SameInEachTurn(r, params, loop);
}

void NoteLoop(const Sight& sight, const FunctionResult& r, ValueId at, NewOptimizerEvent* e) {
  e->flow.push_back(
      {sight.HeaderSpan(sight.LoopAround(r, at), r.body), "once more in every turn of this loop"});
}

// One step in each call: whatever the optimizer remembers is thrown away at once.
bool StepsOnce(const FunctionResult& r) {
  return std::ranges::any_of(r.grad_ops, [&](const flow::GradOp& op) {
    return op.kind == flow::GradOpKind::kStep && r.body.LoopOf(op.value) == flow::kNoLoop;
  });
}

// The optimizer is over `self.net` of the caller's own object, or over an argument that stays the
// same in the turns of the loop.
bool OwnModel(const Sight& sight, const CallSite& made, const FunctionResult& r,
              const flow::CallEdge& edge, LoopId loop) {
  const flow::Argument* params = sight.ArgumentOf(made, "params", 0);
  const NodeId node = params == nullptr ? kNoNode : made.r->body[params->value].node;
  if (node == kNoNode) return false;
  const std::string_view text = sight.Text(node);
  const std::string_view root = text.substr(0, text.find_first_of(".( "));
  const flow::Call& call = r.body.calls[r.body[edge.value].aux];
  const sema::Function& f = sight.module()[edge.callee];
  if (root == "self") {
    const std::string_view callee = sight.Text(call.node);
    return callee.starts_with("self.") ||
           (call.receiver != flow::kNoValue &&
            sight.SameInEachTurn(r, r.body[call.receiver].node, loop));
  }
  for (std::size_t i = 0; i < f.params.size(); ++i) {
    if (sight.module().Text(f.params[i].name) != root) continue;
    const int shift = f.class_id != sema::kNoClass && !f.is_static ? 1 : 0;
    const flow::Argument* model =
        sight.ArgumentOf({&r, edge.value, &call}, root, static_cast<int>(i) - shift);
    return model != nullptr && r.body[model->value].op == Op::kLoad &&
           sight.SameInEachTurn(r, r.body[model->value].node, loop);
  }
  return false;
}

// Calls of the function in a loop, each with the same model.
void CallsOf(const Sight& sight, const CallSite& made, std::vector<NewOptimizerEvent>* out) {
  const sema::FunctionId function = made.r->body.function;
  const sema::Function& f = sight.module()[function];
  const std::string_view name = sight.module().Text(f.name);
  if (name.empty() || !made.r->summary.steps || BeginsAnew(sight, f.node)) return;
  const bool single = StepsOnce(*made.r);
  // Plain SGD remembers nothing.
  const bool forgets =
      LastPart(made.fact()->name) != "SGD" || sight.ArgumentOf(made, "momentum", 2) != nullptr;
  for (const FunctionResult& r : sight.world().results()) {
    for (const flow::CallEdge& edge : r.calls) {
      if (edge.callee != function || r.body[edge.value].op != Op::kCall) continue;
      const NodeId call = r.body[edge.value].node;
      const NodeId arguments = sight.module().tree().Child(call, Field::kArguments);
      const LoopId loop = sight.LoopAround(r, edge.value);
      if (loop == flow::kNoLoop || arguments == kNoNode) continue;
      const bool epochs = OverEpochs(sight, r.body, loop) || Has(name, "epoch");
      const Often often = sight.HowOften(r, edge.value);
      const bool own = OwnModel(sight, made, r, edge, loop);
      // A method that goes over the batches of each turn, with the object's own model.
      const bool method = sight.module()[function].class_id != sema::kNoClass &&
                          (often == Often::kEachEpoch || often == Often::kEachStep);
      const bool step = own && forgets && ((often == Often::kEachStep && single) || method);
      if (!step && (!epochs || (often != Often::kEachEpoch && often != Often::kEachTurn))) continue;
      if (BeginsAnew(sight, r.body.loops[Index(loop)].node)) continue;
      const flow::Argument* first = nullptr;
      for (const flow::Argument& a : r.body.Arguments(r.body.calls[r.body[edge.value].aux]))
        if (first == nullptr) first = &a;
      const NodeId model = first == nullptr ? kNoNode : r.body[first->value].node;
      if (!step && model != kNoNode && !Has(sight.Text(model), "epoch") &&
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
    if (node == kNoNode) continue;
    const bool of_model = Has(sight.Text(node), "param");
    const bool of_tensor = sight.Text(node).starts_with('[');  // an image that is optimised
    if (!of_model && !of_tensor) continue;
    if (sight.LoopAround(*site.r, site.value) == flow::kNoLoop) {
      if (!of_model) continue;
      if (sight.Around(site.call->node, Kind::kReturnStatement) == kNoNode &&
          !sight.OnCondition(*site.r, site.value))
        CallsOf(sight, site, &events);
      continue;
    }
    if (!of_model && sight.HowOften(*site.r, site.value) != Often::kEachStep) continue;
    if (!MadeAnewIn(sight, *site.r, site.value, node)) continue;
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
