#include "flow/call_graph.h"

#include <string>
#include <unordered_set>

#include "flow/attribute_uses.h"
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

// "WaveGlow", "wave_glow" -> "waveglow".
std::string Plain(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '_') continue;
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

std::string_view ReceiverName(const World& world, const Body& body, const Call& call) {
  if (call.receiver_slot == kNoSlot) return {};
  const Slot& s = body.slots[Index(call.receiver_slot)];
  const sema::Module& m = world.module();
  return m.Text(s.depth == 0 ? m[s.root].name : s.attribute);
}

bool IsReturned(const World& world, const FunctionResult& r, std::uint32_t call) {
  const syntax::Tree& tree = world.module().tree();
  const syntax::NodeId parent = tree.Parent(r.body.instrs[call].node);
  return parent != syntax::kNoNode && tree.kind(parent) == syntax::Kind::kReturnStatement;
}

// return self.model.infer(x): those who call this one decide on the grad mode.
bool HandsOn(const World& world, const FunctionResult& r, std::uint32_t call) {
  return r.modes[call] == GradMode::kInherit && IsReturned(world, r, call);
}

// Calls within a method of the same name, which hands on what it is given, tell nothing, either.
// Names that torch or a container knows say nothing of the project's own methods.
void NoteLoose(const World& world, const FunctionResult& r, std::vector<LooseCall>* out) {
  if (!r.analyzed) return;
  const std::string_view own = world.module().Text(world.module()[r.body.function].name);
  std::unordered_set<std::uint32_t> resolved;
  for (const CallEdge& e : r.calls) resolved.insert(Index(e.value));
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
    const Instr& in = r.body.instrs[i];
    if (in.op != Op::kCall || resolved.contains(i)) continue;
    const Call& call = r.body.calls[in.aux];
    if (call.method == sema::kNoName || call.receiver == kNoValue || call.fact != nullptr) continue;
    const std::string_view name = world.module().Text(call.method);
    if (facts::EvidenceOfMethod(name) != 0 || name == own || HandsOn(world, r, i)) continue;
    LooseCall loose;
    loose.method = NameHash(name);
    loose.of_class = NameHash(Plain(ReceiverName(world, r.body, call)) + "." + std::string(name));
    loose.caller = Index(r.body.function);
    loose.mode = r.modes[i];
    out->push_back(loose);
  }
}

CallNode NodeOf(const World& world, sema::FunctionId id) {
  const sema::Function& f = world.module()[id];
  CallNode node;
  node.decorated = world.DecoratedMode(id);
  node.trained_by_framework = (world.Around(id) & facts::kResultDifferentiated) != 0;
  node.is_forward = world.role(id) == Role::kForward;
  node.is_init = world.module().Text(f.name) == "__init__";
  node.in_class = f.class_id != sema::kNoClass;
  node.in_module_class = node.in_class && world.IsModuleClass(f.class_id);
  return node;
}

void Visit(CallGraph* graph, std::uint32_t index, std::span<const std::uint32_t> arcs) {
  CallNode& node = graph->nodes[index];
  const bool called = !arcs.empty();
  bool all_off = called && !node.has_unknown_callers && !node.trained_by_framework;
  bool all_open = called;
  node.result_differentiated |= node.trained_by_framework;
  node.has_callers = called;
  node.within_forward = called && node.in_module_class;
  node.within_init = called && node.in_class;
  for (const std::uint32_t a : arcs) {
    const CallArc& arc = graph->arcs[a];
    const CallNode& caller = graph->nodes[arc.caller];
    node.within_init &= arc.same_class && (caller.within_init || caller.is_init);
    node.within_forward &= caller.within_forward || caller.is_forward;
    const GradMode mode = arc.mode == GradMode::kInherit ? caller.entry_mode : arc.mode;
    // def forward(self, x): return self.infer(x), which nobody is seen to call, decides nothing.
    const bool open = mode == GradMode::kInherit && arc.returned && !caller.has_callers &&
                      arc.of_method && !caller.trained_by_framework;
    all_open &= open;
    all_off &= open || mode == GradMode::kOff || mode == GradMode::kUnknown;
    node.evaluated |= arc.evaluates && mode != GradMode::kOff;
    node.called_in_loop |= arc.in_loop || caller.called_in_loop;
    if (!arc.tracked) {  // return self.log_prob_of(agent): followed no further, but handed on
      node.result_escapes |= arc.returned && (!caller.has_callers || caller.result_escapes);
      continue;
    }
    node.result_differentiated |=
        arc.differentiated || (arc.returned && caller.result_differentiated);
    node.result_escapes |=
        arc.escapes || arc.kept || (arc.returned && (!caller.has_callers || caller.result_escapes));
    node.result_used = true;
  }
  node.only_handed_on = all_open;
  node.entry_mode = node.decorated != GradMode::kInherit ? node.decorated
                    : all_off && !all_open               ? GradMode::kOff
                                                         : GradMode::kInherit;
}

}  // namespace

CallGraph CallsOf(const World& world, const text::Source* source) {
  CallGraph graph;
  const std::size_t n = world.results().size();
  graph.nodes.reserve(n);
  for (std::uint32_t i = 0; i < n; ++i) graph.nodes.push_back(NodeOf(world, sema::FunctionId{i}));
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
      arc.of_method = cls != sema::kNoClass;
      arc.same_class = world.module()[e.callee].class_id == cls;
      arc.evaluates = e.evaluates;
      arc.tracked = e.origin != kOverflowOrigin;
      arc.differentiated = arc.tracked && r.differentiated.test(e.origin);
      arc.escapes = arc.tracked && r.escaped.test(e.origin);
      arc.kept = arc.tracked && r.kept.test(e.origin);
      arc.returned = arc.tracked ? r.returned.test(e.origin) : IsReturned(world, r, Index(e.value));
      graph.arcs.push_back(arc);
    }
    NoteValues(r, &graph.nodes);
    NoteLoose(world, r, &graph.loose);
  }
  return graph;
}

void AddLoose(std::span<const LooseCall> calls, std::span<const CallNode> callers,
              LooseModes* out) {
  for (const LooseCall& call : calls) {
    const GradMode mode =
        call.mode == GradMode::kInherit ? callers[call.caller].entry_mode : call.mode;
    const bool off = mode == GradMode::kOff || mode == GradMode::kUnknown;
    for (const std::uint64_t key : {call.method, call.of_class}) {
      const auto [it, fresh] = out->emplace(key, off);
      if (!fresh) it->second = it->second && off;
    }
  }
}

void TakeLoose(const World& world, const LooseModes& modes, std::vector<CallerFacts>* facts) {
  for (std::uint32_t i = 0; i < facts->size(); ++i) {
    CallerFacts& f = (*facts)[i];
    const sema::Function& function = world.module()[sema::FunctionId{i}];
    const bool called = f.has_callers && !f.only_handed_on;
    if (called || f.has_unknown_callers || f.entry_mode != GradMode::kInherit ||
        function.class_id == sema::kNoClass)
      continue;
    const std::string_view name = world.module().Text(function.name);
    const std::string cls = Plain(world.module().Text(world.module()[function.class_id].name));
    auto known = modes.find(NameHash(cls + "." + std::string(name)));
    if (known == modes.end()) known = modes.find(NameHash(name));
    if (known != modes.end() && known->second) f.entry_mode = GradMode::kOff;
  }
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
