// What callers know, over chains, circles and files.
#include "flow/call_graph.h"

#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <vector>

#include "flow/joined_calls.h"
#include "modules.h"

namespace torchleak::flow {
namespace {

CallArc Arc(std::uint32_t caller, std::uint32_t callee, GradMode mode = GradMode::kInherit) {
  CallArc arc;
  arc.caller = caller;
  arc.callee = callee;
  arc.mode = mode;
  return arc;
}

// Nodes 0, 1, … in the order in which they call each other.
CallGraph Graph(std::size_t nodes, std::vector<CallArc> arcs) {
  CallGraph graph;
  graph.nodes.resize(nodes);
  graph.arcs = std::move(arcs);
  return graph;
}

void Run(CallGraph* graph) {
  std::vector<std::uint32_t> order(graph->nodes.size());
  std::iota(order.begin(), order.end(), 0u);
  Propagate(graph, order);
}

TEST_CASE("grad is off in a function when it is off around all of its calls") {
  CallGraph graph = Graph(5, {Arc(0, 1, GradMode::kOff), Arc(1, 2), Arc(2, 3), Arc(0, 3),
                              Arc(0, 4, GradMode::kOff), Arc(1, 4)});
  Run(&graph);
  CHECK(graph.nodes[0].entry_mode == GradMode::kInherit);
  CHECK_FALSE(graph.nodes[0].has_callers);
  CHECK(graph.nodes[1].entry_mode == GradMode::kOff);
  CHECK(graph.nodes[2].entry_mode == GradMode::kOff);      // by way of 1
  CHECK(graph.nodes[3].entry_mode == GradMode::kInherit);  // 0 calls it with grad on
  CHECK(graph.nodes[4].entry_mode == GradMode::kOff);
}

TEST_CASE("a decorator counts whoever calls; an unknown caller may hold nothing") {
  CallGraph graph = Graph(3, {Arc(0, 1), Arc(0, 2, GradMode::kOff)});
  graph.nodes[1].decorated = GradMode::kOff;
  graph.nodes[2].has_unknown_callers = true;
  Run(&graph);
  CHECK(graph.nodes[1].entry_mode == GradMode::kOff);
  CHECK(graph.nodes[2].entry_mode == GradMode::kInherit);
}

TEST_CASE("what becomes of a result, by way of callers that return it") {
  CallArc inner = Arc(1, 2), outer = Arc(0, 1), dropped = Arc(0, 3);
  inner.tracked = inner.returned = true;
  outer.tracked = outer.differentiated = true;
  dropped.tracked = true;
  CallGraph graph = Graph(4, {outer, inner, dropped});
  Run(&graph);
  CHECK(graph.nodes[2].result_differentiated);
  CHECK(graph.nodes[1].result_differentiated);
  CHECK_FALSE(graph.nodes[3].result_differentiated);
  CHECK(graph.nodes[3].result_used);
  // Returned to nobody in sight: it may go anywhere.
  CallGraph top = Graph(3, {inner});
  Run(&top);
  CHECK(top.nodes[2].result_escapes);
}

TEST_CASE("loops are handed down, a loop in one caller is enough") {
  CallArc looped = Arc(0, 1);
  looped.in_loop = true;
  CallGraph graph = Graph(4, {looped, Arc(0, 1), Arc(1, 2), Arc(0, 3)});
  Run(&graph);
  CHECK(graph.nodes[1].called_in_loop);
  CHECK(graph.nodes[2].called_in_loop);
  CHECK_FALSE(graph.nodes[3].called_in_loop);
}

TEST_CASE("methods that only __init__, or only forward, runs") {
  CallArc init = Arc(0, 1), forward = Arc(2, 3), both = Arc(0, 4), also = Arc(2, 4);
  init.same_class = forward.same_class = both.same_class = also.same_class = true;
  CallGraph graph = Graph(5, {init, forward, both, also});
  for (CallNode& node : graph.nodes) node.in_class = node.in_module_class = true;
  graph.nodes[0].is_init = true;
  graph.nodes[2].is_forward = true;
  Run(&graph);
  CHECK(graph.nodes[1].within_init);
  CHECK_FALSE(graph.nodes[1].within_forward);
  CHECK(graph.nodes[3].within_forward);
  CHECK_FALSE(graph.nodes[4].within_init);
  CHECK_FALSE(graph.nodes[4].within_forward);
}

TEST_CASE("recursion settles, or stays unknown: never more than its callers say") {
  CallGraph graph = Graph(4, {Arc(0, 1, GradMode::kOff), Arc(1, 2), Arc(2, 1), Arc(3, 3)});
  Run(&graph);
  CHECK(graph.nodes[0].entry_mode == GradMode::kInherit);
  CHECK(graph.nodes[3].entry_mode != GradMode::kOn);
  // A ring of 500, entered with grad on.
  std::vector<CallArc> arcs{Arc(0, 1)};
  for (std::uint32_t i = 1; i < 500; ++i) arcs.push_back(Arc(i, i % 499 + 1));
  CallGraph ring = Graph(500, arcs);
  Run(&ring);
  for (const CallNode& node : ring.nodes) CHECK(node.entry_mode == GradMode::kInherit);
}

TEST_CASE("callers of other files count like those of the own") {
  Modules modules;
  const PyFile& util = modules.Add("util", R"(def guarded(model, x):
    return inner(model, x)


def inner(model, x):
    return model(x).item()


def mixed(model, x):
    return model(x).item()


def handed_on(model, x):
    return model(x).item()
)");
  const PyFile& one = modules.Add("one", R"(import torch
from util import guarded, mixed, handed_on


@torch.no_grad()
def test(model, loader):
    for x in loader:
        guarded(model, x)
        mixed(model, x)
        handed_on(model, x)
)");
  const PyFile& two = modules.Add("two", R"(import torch
import util


def test(model, loader):
    with torch.inference_mode():
        util.guarded(model, loader[0])
    util.mixed(model, loader[0])
    return map(util.handed_on, loader)
)");
  JoinedCalls joined({"util.py", "one.py", "two.py"});
  joined.Add(2, FileCallsOf(two.world(), two.source));
  joined.Add(0, FileCallsOf(util.world(), util.source));
  joined.Add(1, FileCallsOf(one.world(), one.source));
  joined.Run();
  const std::vector<CallerFacts> facts = joined.Of(0);
  const auto of = [&](std::string_view name) { return facts[Index(util.Function(name))]; };
  CHECK(of("guarded").entry_mode == GradMode::kOff);
  CHECK(of("guarded").called_in_loop);
  CHECK(of("inner").entry_mode == GradMode::kOff);
  CHECK(of("inner").called_in_loop);
  CHECK(of("mixed").entry_mode == GradMode::kInherit);
  CHECK(of("handed_on").has_unknown_callers);
  CHECK(of("handed_on").entry_mode == GradMode::kInherit);
  CHECK(joined.Of(1).size() == 2);
}

TEST_CASE("files that are not there, or were not analysed, leave the others as they are") {
  Modules modules;
  modules.Add("util", "def f(x):\n    return x\n");
  const PyFile& one =
      modules.Add("one", "from util import f\n\n\ndef g(x):\n    return f(x)\n\n\ng(1)\n");
  JoinedCalls joined({"util.py", "one.py", "never.py"});
  joined.Add(1, FileCallsOf(one.world(), one.source));
  joined.Run();
  CHECK(joined.Of(0).empty());
  CHECK(joined.Of(2).empty());
  CHECK(joined.Of(1)[Index(one.Function("g"))].has_callers);
}

}  // namespace
}  // namespace torchleak::flow
