#include "project/import_graph.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "project/dependencies.h"

namespace torchleak::project {
namespace {

using Edges = std::vector<std::vector<std::uint32_t>>;
constexpr std::uint32_t kUnseen = std::numeric_limits<std::uint32_t>::max();

// Tarjan's algorithm with its own stack; components come out dependencies first.
class Components {
 public:
  explicit Components(const Edges& edges)
      : edges_(edges), number_(edges.size(), kUnseen), low_(edges.size()), on_path_(edges.size()) {}

  std::vector<std::vector<std::uint32_t>> Run() {
    for (std::uint32_t node = 0; node < edges_.size(); ++node) {
      if (number_[node] == kUnseen) Visit(node);
    }
    return std::move(components_);
  }

 private:
  struct Frame {
    std::uint32_t node;
    std::size_t next;  // edge
  };

  void Enter(std::uint32_t node) {
    number_[node] = low_[node] = counter_++;
    path_.push_back(node);
    on_path_[node] = true;
    frames_.push_back({node, 0});
  }

  void Visit(std::uint32_t root) {
    Enter(root);
    while (!frames_.empty()) {
      const std::uint32_t node = frames_.back().node;
      if (frames_.back().next < edges_[node].size()) {
        const std::uint32_t to = edges_[node][frames_.back().next++];
        if (number_[to] == kUnseen) {
          Enter(to);
        } else if (on_path_[to]) {
          low_[node] = std::min(low_[node], number_[to]);
        }
        continue;
      }
      frames_.pop_back();
      if (!frames_.empty()) {
        const std::uint32_t parent = frames_.back().node;
        low_[parent] = std::min(low_[parent], low_[node]);
      }
      if (low_[node] == number_[node]) Leave(node);
    }
  }

  void Leave(std::uint32_t node) {
    const auto first = std::find(path_.rbegin(), path_.rend(), node).base() - 1;
    for (auto it = first; it != path_.end(); ++it) on_path_[*it] = false;
    components_.emplace_back(first, path_.end());
    std::sort(components_.back().begin(), components_.back().end());
    path_.erase(first, path_.end());
  }

  const Edges& edges_;
  std::vector<std::uint32_t> number_, low_;
  std::vector<bool> on_path_;
  std::vector<std::uint32_t> path_;
  std::vector<Frame> frames_;
  std::uint32_t counter_ = 0;
  std::vector<std::vector<std::uint32_t>> components_;
};

}  // namespace

ImportGraph::ImportGraph(ModuleIndex* index, std::vector<FileId> starts, std::size_t most) {
  Collect(index, std::move(starts), most);
  Connect();
}

// Breadth first, so that a limit leaves out what is far.
void ImportGraph::Collect(ModuleIndex* index, std::vector<FileId> starts, std::size_t most) {
  SortByPath(*index, &starts);
  std::unordered_map<FileId, std::vector<FileId>> found;
  for (const FileId id : starts) found.try_emplace(id);
  files_ = std::move(starts);
  const std::size_t limit = most > kNoLimit - files_.size() ? kNoLimit : files_.size() + most;
  for (std::size_t next = 0; next < files_.size(); ++next) {
    const FileId id = files_[next];
    std::vector<FileId> needed = Dependencies(index, id);
    std::erase_if(needed, [&](FileId other) {
      if (found.contains(other)) return false;
      if (files_.size() >= limit) return true;
      found.try_emplace(other);
      files_.push_back(other);
      return false;
    });
    found[id] = std::move(needed);
  }
  SortByPath(*index, &files_);
  for (const FileId id : files_) {
    positions_.emplace(id, static_cast<std::uint32_t>(positions_.size()));
    dependencies_.push_back(std::move(found[id]));
  }
}

void ImportGraph::Connect() {
  Edges edges(files_.size());
  for (std::size_t i = 0; i < files_.size(); ++i) {
    for (const FileId id : dependencies_[i]) edges[i].push_back(positions_.at(id));
  }
  std::vector<std::uint32_t> component_of(files_.size());
  for (const std::vector<std::uint32_t>& nodes : Components(edges).Run()) {
    const auto number = static_cast<std::uint32_t>(components_.size());
    Component& component = components_.emplace_back();
    for (const std::uint32_t node : nodes) {
      component_of[node] = number;
      component.files.push_back(files_[node]);
    }
    std::vector<std::uint32_t>& needed = component.dependencies;
    for (const std::uint32_t node : nodes) {
      for (const std::uint32_t to : edges[node]) {
        if (component_of[to] != number) needed.push_back(component_of[to]);
      }
    }
    std::sort(needed.begin(), needed.end());
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  }
}

std::span<const FileId> ImportGraph::DependenciesOf(FileId id) const {
  const auto position = positions_.find(id);
  if (position == positions_.end()) return {};
  return dependencies_[position->second];
}

std::vector<FileId> ImportGraph::Dependents(FileId id) const {
  const auto target = positions_.find(id);
  if (target == positions_.end()) return {};
  Edges importers(files_.size());
  for (std::uint32_t i = 0; i < files_.size(); ++i) {
    for (const FileId other : dependencies_[i]) importers[positions_.at(other)].push_back(i);
  }
  std::vector<bool> reaches(files_.size());
  std::vector<std::uint32_t> open = {target->second};
  reaches[target->second] = true;
  while (!open.empty()) {
    const std::uint32_t node = open.back();
    open.pop_back();
    for (const std::uint32_t importer : importers[node]) {
      if (reaches[importer]) continue;
      reaches[importer] = true;
      open.push_back(importer);
    }
  }
  std::vector<FileId> dependents;
  for (std::uint32_t i = 0; i < files_.size(); ++i) {
    if (reaches[i] && i != target->second) dependents.push_back(files_[i]);
  }
  return dependents;
}

}  // namespace torchleak::project
