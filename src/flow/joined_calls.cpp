#include "flow/joined_calls.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "flow/world.h"

namespace torchleak::flow {

FileCallsPtr FileCallsOf(const World& world, const text::Source& source) {
  auto calls = std::make_shared<FileCalls>();
  FileCalls& out = *calls;
  out.graph = CallsOf(world, &source);
  out.own = static_cast<std::uint32_t>(world.module().functions().size());
  for (auto it = world.order().rbegin(); it != world.order().rend(); ++it)
    out.order.push_back(Index(*it));
  for (const Links::Foreign& f : world.links().functions)
    out.foreign.emplace_back(*f.file->path, f.file->functions[f.index].own);
  return calls;
}

JoinedCalls::JoinedCalls(std::vector<std::string> paths)
    : paths_(std::move(paths)), files_(paths_.size()) {}

void JoinedCalls::Add(std::size_t file, FileCallsPtr calls) { files_[file] = std::move(calls); }

void JoinedCalls::Run() {
  std::unordered_map<std::string_view, std::size_t> file_of;
  first_.assign(files_.size() + 1, 0);
  for (std::size_t f = 0; f < files_.size(); ++f) {
    file_of.emplace(paths_[f], f);
    first_[f + 1] = first_[f] + (files_[f] == nullptr ? 0 : files_[f]->own);
  }
  loose_.resize(files_.size());
  graph_.nodes.resize(first_.back());
  std::vector<std::uint32_t> order;
  order.reserve(first_.back());
  for (std::size_t f = files_.size(); f-- > 0;) {
    if (files_[f] == nullptr) continue;
    const FileCalls& calls = *files_[f];
    std::vector<std::uint32_t> node(calls.graph.nodes.size(), kNoKey);
    for (std::uint32_t i = 0; i < node.size(); ++i) {
      if (i < calls.own) {
        node[i] = first_[f] + i;
        const bool unknown = graph_.nodes[node[i]].has_unknown_callers;
        graph_.nodes[node[i]] = calls.graph.nodes[i];
        static_cast<CallerFacts&>(graph_.nodes[node[i]]) = {};
        graph_.nodes[node[i]].has_unknown_callers =
            unknown || calls.graph.nodes[i].has_unknown_callers;
        continue;
      }
      const auto& [path, function] = calls.foreign[i - calls.own];
      const auto at = file_of.find(path);
      if (at == file_of.end() || Index(function) >= OwnOf(at->second)) continue;
      node[i] = first_[at->second] + Index(function);
      if (calls.graph.nodes[i].has_unknown_callers)
        graph_.nodes[node[i]].has_unknown_callers = true;
    }
    for (CallArc arc : calls.graph.arcs) {
      const std::uint32_t callee = node[arc.callee];
      if (callee == kNoKey) continue;
      arc.caller = node[arc.caller];
      arc.callee = callee;
      graph_.arcs.push_back(arc);
    }
    for (const std::uint32_t i : calls.order) order.push_back(first_[f] + i);
    loose_[f] = calls.graph.loose;
    files_[f].reset();
  }
  Propagate(&graph_, order);
}

std::vector<std::vector<std::string>> JoinedCalls::OutsideCallsOf(std::size_t file) const {
  std::vector<std::vector<std::string>> out(first_[file + 1] - first_[file]);
  for (const CallArc& arc : graph_.arcs) {
    const bool inside = arc.caller >= first_[file] && arc.caller < first_[file + 1];
    if (inside || arc.callee < first_[file] || arc.callee >= first_[file + 1]) continue;
    const auto from = std::upper_bound(first_.begin(), first_.end(), arc.caller) - 1;
    out[arc.callee - first_[file]].push_back(
        paths_[static_cast<std::size_t>(from - first_.begin())] + ":" + std::to_string(arc.row));
  }
  for (auto& places : out) std::sort(places.begin(), places.end());
  return out;
}

void JoinedCalls::AddLooseOf(std::size_t file, LooseModes* out) const {
  const auto nodes = std::span(graph_.nodes).subspan(first_[file], OwnOf(file));
  AddLoose(loose_[file], nodes, out);
}

std::vector<CallerFacts> JoinedCalls::Of(std::size_t file) const {
  std::vector<CallerFacts> out;
  for (std::uint32_t i = first_[file]; i < first_[file + 1]; ++i) out.push_back(graph_.nodes[i]);
  return out;
}

}  // namespace torchleak::flow
