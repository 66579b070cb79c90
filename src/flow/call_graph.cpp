#include "flow/call_graph.h"

#include "flow/world.h"

namespace torchleak::flow {
namespace {

// A function that is used as a value may be called by anyone.
void NoteValues(const FunctionResult& r, std::vector<CallNode>* nodes) {
  if (r.values.empty()) return;
  auto handed_on = [&](ValueId id) {
    if (id == kNoValue) return;
    const Value& v = r.values[Index(id)];
    if (v.Is(Kind::kFunction) && v.ref < nodes->size()) (*nodes)[v.ref].has_unknown_callers = true;
  };
  for (const Instr& in : r.body.instrs) {
    if (in.op != Op::kStore) {
      for (ValueId operand : r.body.Operands(in)) handed_on(operand);
    }
    if (in.op != Op::kCall) continue;
    for (const Argument& a : r.body.Arguments(r.body.calls[in.aux])) handed_on(a.value);
  }
}

CallNode NodeOf(const World& world, sema::FunctionId id) {
  const sema::Function& f = world.module()[id];
  CallNode node;
  node.decorated = world.DecoratedMode(id);
  node.result_differentiated = (world.Around(id) & facts::kResultDifferentiated) != 0;
  node.is_forward = world.role(id) == Role::kForward;
  node.is_init = world.module().Text(f.name) == "__init__";
  node.in_class = f.class_id != sema::kNoClass;
  node.in_module_class = node.in_class && world.IsModuleClass(f.class_id);
  return node;
}

void Visit(CallGraph* graph, std::uint32_t index, std::span<const std::uint32_t> arcs) {
  CallNode& node = graph->nodes[index];
  const bool called = !arcs.empty();
  bool all_off = called && !node.has_unknown_callers;
  node.has_callers = called;
  node.within_forward = called && node.in_module_class;
  node.within_init = called && node.in_class;
  for (const std::uint32_t a : arcs) {
    const CallArc& arc = graph->arcs[a];
    const CallNode& caller = graph->nodes[arc.caller];
    node.within_init &= arc.same_class && (caller.within_init || caller.is_init);
    node.within_forward &= caller.within_forward || caller.is_forward;
    const GradMode mode = arc.mode == GradMode::kInherit ? caller.entry_mode : arc.mode;
    all_off &= mode == GradMode::kOff || mode == GradMode::kUnknown;
    node.evaluated |= arc.evaluates && mode != GradMode::kOff;
    node.called_in_loop |= arc.in_loop || caller.called_in_loop;
    if (!arc.tracked) continue;
    node.result_differentiated |=
        arc.differentiated || (arc.returned && caller.result_differentiated);
    node.result_escapes |= arc.escapes || arc.kept ||
                           (arc.returned && (!caller.has_callers || caller.result_escapes));
    node.result_used = true;
  }
  node.entry_mode = node.decorated != GradMode::kInherit ? node.decorated
                    : all_off                            ? GradMode::kOff
                                                         : GradMode::kInherit;
}

}  // namespace

CallGraph CallsOf(const World& world, const text::Source* source) {
  CallGraph graph;
  const std::size_t n = world.results().size();
  graph.nodes.reserve(n);
  for (std::uint32_t i = 0; i < n; ++i)
    graph.nodes.push_back(NodeOf(world, sema::FunctionId{i}));
  for (const FunctionResult& r : world.results()) {
    const std::uint32_t caller = Index(r.body.function);
    const sema::ClassId cls = world.module()[r.body.function].class_id;
    for (const CallEdge& e : r.calls) {
      CallArc arc;
      arc.caller = caller;
      arc.callee = Index(e.callee);
      arc.mode = e.mode;
      if (source != nullptr) {
        const syntax::NodeId node = r.body[e.value].node;
        arc.row = source->RowOf(world.module().tree().Span(node).begin);
      }
      arc.in_loop = r.body.LoopOf(e.value) != kNoLoop;
      arc.same_class = world.module()[e.callee].class_id == cls;
      arc.evaluates = e.evaluates;
      arc.tracked = e.origin != kOverflowOrigin;
      arc.differentiated = arc.tracked && r.differentiated.test(e.origin);
      arc.escapes = arc.tracked && r.escaped.test(e.origin);
      arc.kept = arc.tracked && r.kept.test(e.origin);
      arc.returned = arc.tracked && r.returned.test(e.origin);
      graph.arcs.push_back(arc);
    }
    NoteValues(r, &graph.nodes);
  }
  return graph;
}

void Propagate(CallGraph* graph, std::span<const std::uint32_t> order) {
  // Arcs by callee, in one array.
  std::vector<std::uint32_t> first(graph->nodes.size() + 1), by_callee(graph->arcs.size());
  for (const CallArc& arc : graph->arcs) ++first[arc.callee + 1];
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (std::uint32_t a = 0; a < graph->arcs.size(); ++a)
    by_callee[next[graph->arcs[a].callee]++] = a;
  constexpr int kRounds = 3;
  for (int round = 0; round < kRounds; ++round) {
    for (const std::uint32_t i : order)
      Visit(graph, i, std::span(by_callee).subspan(first[i], first[i + 1] - first[i]));
  }
}

}  // namespace torchleak::flow
