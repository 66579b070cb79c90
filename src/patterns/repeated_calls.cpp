#include "patterns/repeated_calls.h"

#include <algorithm>

namespace torchleak::patterns {

using sema::Index;

namespace {

bool Measures(const Sight& sight, const flow::Body& body) {
  const std::string_view text = sight.Text(sight.module()[body.function].node);
  if (body.function == sema::FunctionId{0}) return false;  // the whole file is no evidence
  for (const std::string_view word :
       {"reset_peak", "max_memory_", "mem_get_info", "elapsed_time"}) {
    if (text.find(word) != text.npos) return true;
  }
  return false;
}

bool OverParts(const Sight& sight, const flow::Body& body, flow::LoopId loop) {
  if (loop == flow::kNoLoop || body.loops[Index(loop)].iterable == syntax::kNoNode) return false;
  const std::string_view text = sight.Text(body.loops[Index(loop)].iterable);
  for (const std::string_view word : {"modules(", "children(", "parameters(", "layers", "blocks"}) {
    if (text.find(word) != text.npos) return true;
  }
  return false;
}

// From the call through the call of its function to the loop.
void Steps(const Sight& sight, const CallSite& site, const Runs& runs, RepeatedCallEvent* e) {
  e->flow.push_back({e->span, "called here"});
  const flow::FunctionResult* r = site.r;
  flow::ValueId at = site.value;
  if (runs.caller != sema::kNoFunction) {
    r = &sight.world().result(runs.caller);
    at = runs.at;
    e->flow.push_back(
        {sight.Span((*r).body[at].node), "its function runs in each turn, from here"});
  }
  const flow::LoopId loop = sight.LoopAround(*r, at);
  if (loop == flow::kNoLoop) return;
  e->flow.push_back({sight.HeaderSpan(loop, r->body), "once more in every turn of this loop"});
}

void Add(const Sight& sight, const CallSite& site, std::vector<RepeatedCallEvent>* out) {
  Runs runs = sight.HowOftenInAll(*site.r, site.value);
  const bool in_forward = sight.world().role(site.r->body.function) == flow::Role::kForward;
  if (in_forward && runs.often == Often::kEachTurn) runs.often = Often::kEachStep;  // over layers
  if (runs.often == Often::kOnce || runs.often == Often::kNowAndThen) return;
  RepeatedCallEvent e;
  Place(sight, site, &e);
  e.often = runs.often;
  e.over_parts = OverParts(sight, site.r->body, sight.LoopAround(*site.r, site.value));
  e.measures = Measures(sight, site.r->body);
  Steps(sight, site, runs, &e);
  out->push_back(std::move(e));
}

}  // namespace

std::vector<RepeatedCallEvent> RepeatedCalls(const Sight& sight,
                                             std::span<const std::string_view> functions,
                                             std::span<const std::string_view> helpers) {
  std::vector<RepeatedCallEvent> events;
  for (const std::string_view function : functions)
    for (const CallSite& site : sight.calls().Of(function)) Add(sight, site, &events);
  for (const std::string_view helper : helpers) {
    for (const CallSite& site : sight.calls().OfName(helper)) {
      const sema::FunctionId here = sight.world().Resolve(site.r->body, *site.call).function;
      const bool in_sight = here != sema::kNoFunction && !sight.module().IsForeign(here);
      if (!in_sight) Add(sight, site, &events);
    }
  }
  auto place = [](const auto& e) { return std::pair{e.span.begin, e.span.end}; };
  std::ranges::stable_sort(events, {}, place);
  events.erase(std::ranges::unique(events, {}, place).begin(), events.end());
  return events;
}

}  // namespace torchleak::patterns
