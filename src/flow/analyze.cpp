// The whole file: functions callees first, then what callers tell callees, then events.
#include <algorithm>

#include "flow/analysis.h"
#include "flow/call_graph.h"
#include "flow/events_internal.h"
#include "flow/known_code.h"

namespace torchleak::flow {
namespace {

// What callers know, copied to the functions.
void TakeCallers(World& world, const ProjectFacts* project) {
  std::vector<CallerFacts> facts;
  LooseModes loose;
  if (project != nullptr) {
    facts = project->callers;
    loose = project->loose;
  } else {
    CallGraph graph = CallsOf(world);
    std::vector<std::uint32_t> order;
    for (auto it = world.order().rbegin(); it != world.order().rend(); ++it)
      order.push_back(Index(*it));
    Propagate(&graph, order);
    AddLoose(graph.loose, graph.nodes, &loose);
    facts.assign(graph.nodes.begin(), graph.nodes.end());
  }
  TakeLoose(world, loose, &facts);
  for (std::size_t i = 0; i < facts.size() && i < world.results().size(); ++i)
    static_cast<CallerFacts&>(world.results()[i]) = facts[i];
}

void CollectAttributes(World& world) {
  const auto names = world.module().name_count();
  for (FunctionResult& r : world.results()) {
    for (std::size_t i = 0; i < r.origins.size(); ++i) {
      const Origin& o = r.origins[i];
      if (o.kind != OriginKind::kEntry || o.ref >= r.body.slots.size()) continue;
      const Slot& s = r.body.slots[o.ref];
      if (s.depth == 0 || Index(s.attribute) >= names) continue;
      // self.agent.log_prob: of whatever class the agent is
      const sema::BindingId owner = s.depth == 1 ? s.root : sema::kNoBinding;
      if (r.differentiated.test(i)) world.NoteAttribute(owner, s.attribute, true);
      if (r.escaped.test(i) || (r.returned.test(i) && r.result_leaves()))
        world.NoteAttribute(owner, s.attribute, false);
      if (r.removed.test(i)) world.attr_removed[Index(s.attribute)] = true;
    }
  }
}

}  // namespace

FileEvents Analyze(const sema::Module& module, AnalyzeOptions options) {
  FileEvents out;
  out.dismissed.wanted = options.with_dismissed;
  out.module = &module;
  out.callers_known = options.imported_by_none;
  out.syntax_errors = module.tree().errors();
  out.parts = module.tree().parts();
  auto world = std::make_shared<World>(module, std::move(options.links));
  if (options.project != nullptr) {
    world->outside.Add(options.project->uses);
    world->outside_calls = options.project->outside_calls;
  }
  world->outside.Sort();
  if (!world->foreign_file) {
    for (sema::FunctionId f : world->order()) FunctionAnalysis(*world, f).Run();
    TakeCallers(*world, options.project);
    CollectAttributes(*world);
    EventBuilder events(*world, &out);
    events.Kept();
    events.Forwards();
    events.Retained();
    events.StaleSteps();
    events.LeftOvers();
    events.Hooks();
  }
  out.forwards_do_more =
      ForwardsDoMore(*world) || (options.project != nullptr && options.project->forwards_do_more);
  out.world = std::move(world);
  return out;
}

}  // namespace torchleak::flow
