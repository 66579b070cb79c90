#include "engine/analyze.h"

#include <algorithm>
#include <utility>

#include "engine/events_of.h"
#include "flow/world.h"

namespace torchleak::engine {

bool MayMatter(std::string_view bytes, std::span<const Rule* const> rules) {
  std::vector<std::string_view> seen;
  for (const Rule* rule : rules) {
    if (rule->info().needles.empty()) return true;
    for (std::string_view needle : rule->info().needles) {
      // What holds a needle that is not there is not there either: "torch", "torchleak:".
      const auto holds = [&](std::string_view s) { return needle.find(s) != needle.npos; };
      if (std::any_of(seen.begin(), seen.end(), holds)) continue;
      if (bytes.find(needle) != std::string_view::npos) return true;
      seen.push_back(needle);
    }
  }
  return false;
}

namespace {

// One place may be reached along several ways: it is reported once, with the steps of all.
void MergeSamePlace(std::vector<findings::Finding>* found) {
  std::vector<findings::Finding> out;
  for (findings::Finding& f : *found) {
    if (out.empty() || out.back().code != f.code || !(out.back().location == f.location)) {
      out.push_back(std::move(f));
      continue;
    }
    std::vector<findings::Step>& known = out.back().flow;
    for (findings::Step& step : f.flow) {
      const bool seen = std::any_of(known.begin(), known.end(), [&](const findings::Step& k) {
        return k.location == step.location;
      });
      if (!seen) known.push_back(std::move(step));
    }
  }
  *found = std::move(out);
}

bool AnyOverBudget(const flow::World& world) {
  return std::any_of(world.results().begin(), world.results().end(),
                     [](const flow::FunctionResult& r) { return r.over_budget; });
}

}  // namespace

flow::FileEvents EventsOf(sema::Module* module, const Surrounding& surrounding,
                          bool with_dismissed) {
  flow::AnalyzeOptions options;
  options.with_dismissed = with_dismissed;
  if (surrounding.files != nullptr) options.links = flow::Link(module, *surrounding.files);
  options.project = surrounding.project;
  options.imported_by_none = surrounding.imported_by_none;
  return flow::Analyze(*module, std::move(options));
}

Analyzed Analyze(const text::Source& source, std::span<const Rule* const> rules,
                 const Surrounding& surrounding) {
  return Analyze(source, syntax::Parse(source), rules, surrounding);
}

Analyzed Analyze(const text::Source& source, const syntax::Tree& tree,
                 std::span<const Rule* const> rules, const Surrounding& surrounding) {
  Analyzed out;
  std::vector<findings::Finding>& found = out.findings;
  sema::Module module = sema::Analyze(tree);
  const flow::FileEvents events = EventsOf(&module, surrounding);
  out.forwards_do_more = events.forwards_do_more;
  if (surrounding.wants_interface) {
    out.interface = flow::Export(*events.world, source);
    out.calls = flow::FileCallsOf(*events.world, source);
  }
  out.complete = events.syntax_errors.empty() && !AnyOverBudget(*events.world);
  for (const Rule* rule : rules) {
    RuleContext context(&found, surrounding.target);
    rule->Check(events, context);
  }
  for (findings::Finding& f : found) {
    f.location.path = source.path();
    for (findings::Step& step : f.flow) {
      if (step.location.path.empty()) step.location.path = source.path();
    }
    if (!f.fix) continue;
    for (findings::Edit& edit : f.fix->edits) edit.location.path = source.path();
  }
  std::stable_sort(found.begin(), found.end(), findings::Before);
  MergeSamePlace(&found);
  return out;
}

}  // namespace torchleak::engine
