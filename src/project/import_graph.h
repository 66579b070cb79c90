// ImportGraph: the files that some files need, in the order in which to analyse them.
//
//   ImportGraph graph(&index, starts);
//   for (const Component& c : graph.components()) …  // what c depends on came before
//
// Nothing depends on the order of `starts` or on the numbers of FileIds: components and the files
// in them have an order given by paths and imports alone. The graph is a snapshot.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "project/module_index.h"

namespace torchleak::project {

// Files that import each other in a circle, or a single file.
struct Component {
  std::vector<FileId> files;                // by path
  std::vector<std::uint32_t> dependencies;  // indices of earlier components, ascending
};

class ImportGraph {
 public:
  static constexpr std::size_t kNoLimit = static_cast<std::size_t>(-1);

  // Of `starts` and all they depend on, directly or not; of these no more than `most`, the nearest.
  ImportGraph(ModuleIndex* index, std::vector<FileId> starts, std::size_t most = kNoLimit);

  std::span<const FileId> files() const { return files_; }  // by path
  // Dependencies first.
  std::span<const Component> components() const { return components_; }

  bool Contains(FileId id) const { return positions_.contains(id); }
  // These are empty for files that are not in the graph.
  std::span<const FileId> DependenciesOf(FileId id) const;  // direct ones, by path
  // All files that reach this one; by path, without itself.
  std::vector<FileId> Dependents(FileId id) const;

 private:
  void Collect(ModuleIndex* index, std::vector<FileId> starts, std::size_t most);
  void Connect();

  std::vector<FileId> files_;
  std::vector<std::vector<FileId>> dependencies_;        // of files_[i]
  std::unordered_map<FileId, std::uint32_t> positions_;  // in files_
  std::vector<Component> components_;
};

}  // namespace torchleak::project
