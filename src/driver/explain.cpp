#include "driver/explain.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "driver/discovery.h"
#include "driver/project_run.h"
#include "driver/roots.h"
#include "engine/analyze.h"

namespace torchleak::driver {
namespace {

std::vector<std::string> FilesBelow(const std::string& folder, const std::string& path) {
  DiscoveryOptions options;
  options.paths = {folder};
  options.root = folder;
  const auto excludes = DefaultExcludes();
  options.excludes.assign(excludes.begin(), excludes.end());
  std::vector<std::string> files{path};
  for (DiscoveredFile& file : Discover(options).files) {
    if (file.path != path) files.push_back(std::move(file.path));
  }
  return files;
}

// The file and those that reach it by imports.
std::vector<std::string> WithDependents(project::FileTree* tree, const std::string& root,
                                        const std::string& path) {
  project::ModuleIndex index(tree, root);
  std::vector<project::FileId> ids;
  for (const std::string& file : FilesBelow(root, path)) ids.push_back(index.Add(file));
  const project::ImportGraph graph(&index, ids);
  std::vector<std::string> out{path};
  for (const project::FileId id : graph.Dependents(index.Find(path))) out.push_back(index.path(id));
  return out;
}

}  // namespace

std::string Explain(const text::Source& source, const std::string& path, std::uint32_t row,
                    const std::string& root, unsigned jobs) {
  project::DiskTree tree;
  const std::vector<std::string> roots = ImportRoots(std::vector{path}, {}, root);
  const std::vector<std::string> files = WithDependents(&tree, roots.front(), path);
  ProjectRun run(&tree, roots, root, files);
  run.Run({}, jobs);
  const auto others = run.SurroundingsOf(path);
  const flow::ProjectFacts facts = run.FactsOf(path);
  engine::Surrounding surrounding;
  surrounding.files = others.get();
  if (!facts.callers.empty()) surrounding.project = &facts;
  return engine::Explain(source, row, engine::AllRules(), surrounding);
}

}  // namespace torchleak::driver
