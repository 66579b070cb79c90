#include "driver/project_check.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "cache/recording_tree.h"
#include "driver/project_analysis.h"
#include "driver/roots.h"
#include "driver/users.h"

namespace torchleak::driver {

void AsProject(const CheckOptions& options, const std::vector<Item>& items,
               std::vector<FileResult>* results, Counts* counts, CheckTrace* trace) {
  project::DiskTree disk;
  cache::RecordingTree recording(&disk);
  project::FileTree* below = &disk;
  if (trace != nullptr) below = &recording;
  project::OverlayTree overlay(below);
  ProjectFiles files;
  std::vector<std::size_t> of_path;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].buffer != nullptr) overlay.Put(items[i].absolute, items[i].buffer->bytes);
    const bool seen = (*results)[i].parsed;
    (seen ? files.paths : files.unseen).push_back(items[i].absolute);
    if (seen) of_path.push_back(i);
  }
  files.given = GivenFolders(options);
  files.roots = ImportRoots(files.paths, files.given, options.root);
  const std::vector<std::string> roots = files.roots;

  project::LockedTree tree(&overlay);
  TreeTexts texts(&tree);
  ImportMaps maps(std::make_shared<project::ModuleIndex>(&tree, roots));
  ProjectAnalysis analysis(options, &texts, &maps, std::move(files));
  const std::vector<ProjectRun::Outcome> outcomes = analysis.Run(trace);
  counts->imported = analysis.imported_only();
  for (std::size_t i = 0; i < of_path.size(); ++i) {
    FileCheck(options, items[of_path[i]]).Complete(outcomes[i], &(*results)[of_path[i]]);
  }
  if (trace == nullptr) return;
  trace->roots = roots;
  std::copy_if(roots.begin(), roots.end(), std::back_inserter(trace->tops), IsProjectTop);
  trace->seen = recording.Observations();
  trace->consistent = !recording.contradicts_itself();
}

}  // namespace torchleak::driver
