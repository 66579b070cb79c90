#include "driver/import_maps.h"

#include <algorithm>
#include <utility>

#include "driver/users.h"

namespace torchleak::driver {
namespace {

// One for each root of a workspace; more would be kept in vain.
constexpr std::size_t kMostUserGraphs = 8;

void SortOnce(std::vector<std::string>* list) {
  std::sort(list->begin(), list->end());
  list->erase(std::unique(list->begin(), list->end()), list->end());
}

}  // namespace

ProjectMap ImportMaps::Of(std::span<const std::string> starts, std::size_t most) {
  const bool known = map_.graph != nullptr && most == most_ &&
                     std::equal(starts.begin(), starts.end(), starts_.begin(), starts_.end());
  if (known) return map_;
  starts_.assign(starts.begin(), starts.end());
  most_ = most;
  map_ = {index_, nullptr, {}};
  for (const std::string& path : starts) map_.starts.push_back(index_->Add(path));
  map_.graph = std::make_shared<const project::ImportGraph>(index_.get(), map_.starts, most);
  return map_;
}

const std::vector<std::string>& ImportMaps::Below(const std::string& root) {
  const auto [entry, is_new] = below_.try_emplace(root);
  if (is_new) entry->second = FilesBelow(root);
  return entry->second;
}

bool ImportMaps::HasDependencies(project::FileId id,
                                 std::span<const project::FileId> dependencies) const {
  const auto agrees = [&](const project::ImportGraph* graph) {
    if (graph == nullptr || !graph->Contains(id)) return true;
    const auto known = graph->DependenciesOf(id);
    return std::equal(known.begin(), known.end(), dependencies.begin(), dependencies.end());
  };
  return agrees(map_.graph.get()) &&
         std::all_of(user_graphs_.begin(), user_graphs_.end(),
                     [&](const UserGraph& g) { return agrees(g.graph.get()); });
}

void ImportMaps::Forget() {
  map_ = {};
  user_graphs_.clear();
}

const project::ImportGraph& ImportMaps::GraphFor(std::span<const project::FileId> files,
                                                 std::span<const std::string> below) {
  auto known = std::find_if(user_graphs_.begin(), user_graphs_.end(), [&](const UserGraph& g) {
    return std::equal(below.begin(), below.end(), g.below.begin(), g.below.end());
  });
  if (known == user_graphs_.end()) {
    if (user_graphs_.size() == kMostUserGraphs) user_graphs_.erase(user_graphs_.begin());
    known =
        user_graphs_.insert(user_graphs_.end(), UserGraph{{below.begin(), below.end()}, {}, {}});
    for (const std::string& path : below) known->starts.insert(index_->Add(path));
  }
  const std::size_t before = known->starts.size();
  known->starts.insert(files.begin(), files.end());
  if (known->graph == nullptr || known->starts.size() != before) {
    known->graph = std::make_unique<project::ImportGraph>(
        index_.get(), std::vector<project::FileId>(known->starts.begin(), known->starts.end()));
  }
  return *known->graph;
}

Users ImportMaps::UsersOf(std::span<const std::string> files, std::span<const std::string> below) {
  std::vector<project::FileId> ids;
  for (const std::string& file : files) ids.push_back(index_->Add(file));
  const project::ImportGraph& graph = GraphFor(ids, below);
  const std::unordered_set<project::FileId> given(ids.begin(), ids.end());
  Users out;
  for (const project::FileId id : ids) {
    for (const project::FileId user : graph.Dependents(id)) {
      if (given.contains(user)) continue;
      out.files.push_back(index_->path(user));
      out.used.push_back(index_->path(id));
    }
  }
  SortOnce(&out.files);
  SortOnce(&out.used);
  return out;
}

}  // namespace torchleak::driver
