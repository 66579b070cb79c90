// ImportMaps: who imports whom, for the files of a run and for those who use them.
//
//   ImportMaps maps(std::make_shared<project::ModuleIndex>(&tree, roots));
//   ProjectRun run(&texts, where, maps.Of(paths));
//   maps.UsersOf(found, FilesBelow(root)).files
//
// Graphs are kept and given again for the same question, until Forget().
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "project/import_graph.h"

namespace torchleak::driver {

struct ProjectMap {
  std::shared_ptr<project::ModuleIndex> index;
  std::shared_ptr<const project::ImportGraph> graph;  // of the starts and what they depend on
  std::vector<project::FileId> starts;                // in the order of their paths as given
};

struct Users {
  std::vector<std::string> files;  // that use others
  std::vector<std::string> used;   // those others
};

class ImportMaps {
 public:
  explicit ImportMaps(std::shared_ptr<project::ModuleIndex> index) : index_(std::move(index)) {}

  // `starts`: absolute paths of the files whose findings are wanted. Of what they depend on no more
  // than the nearest `most` files: what the others define is then not known.
  ProjectMap Of(std::span<const std::string> starts,
                std::size_t most = project::ImportGraph::kNoLimit);

  // The files among `below`, and among what these import, that reach one of `files` by imports,
  // without these; and which of `files` they reach. Both sorted. Paths are absolute.
  Users UsersOf(std::span<const std::string> files, std::span<const std::string> below);

  // driver::FilesBelow, listed once: files that come and go ask for other maps.
  const std::vector<std::string>& Below(const std::string& root);

  // As far as there are graphs that hold the file: does it depend on just these?
  bool HasDependencies(project::FileId id, std::span<const project::FileId> dependencies) const;

  // Some file imports or defines something else than before.
  void Forget();

  project::ModuleIndex& index() { return *index_; }

 private:
  struct UserGraph {
    std::vector<std::string> below;
    std::unordered_set<project::FileId> starts;
    std::unique_ptr<project::ImportGraph> graph;
  };
  const project::ImportGraph& GraphFor(std::span<const project::FileId> files,
                                       std::span<const std::string> below);

  std::shared_ptr<project::ModuleIndex> index_;
  std::vector<std::string> starts_;
  std::size_t most_ = 0;
  ProjectMap map_;  // of starts_
  std::vector<UserGraph> user_graphs_;
  std::map<std::string, std::vector<std::string>> below_;  // by root
};

}  // namespace torchleak::driver
