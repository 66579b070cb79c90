#include "driver/project_check.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "cache/recording_tree.h"
#include "driver/roots.h"
#include "driver/users.h"
#include "project/paths.h"

namespace torchleak::driver {
namespace {

// Does the run look at every file below the root anyway?
bool IsCovered(const std::string& root, std::span<const std::string> given) {
  return std::any_of(given.begin(), given.end(),
                     [&](const std::string& g) { return project::IsWithin(root, g); });
}

// Files that nobody gave, and that use those in which something was found.
std::vector<std::string> UsersBeyond(project::FileTree* tree, std::span<const std::string> roots,
                                     std::span<const std::string> given,
                                     std::span<const std::string> paths,
                                     std::span<const ProjectRun::Outcome> outcomes,
                                     CheckTrace* trace) {
  std::vector<std::string> found, users;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (!outcomes[i].findings.empty()) found.push_back(paths[i]);
  }
  for (const std::string& root : roots) {
    if (IsCovered(root, given) || found.empty() || !IsProjectTop(root)) continue;
    std::vector<std::string> mine;
    for (const std::string& path : found) {
      if (project::IsWithin(path, root)) mine.push_back(path);
    }
    if (mine.empty()) continue;
    const std::vector<std::string> below = FilesBelow(root);
    if (trace != nullptr) trace->below.emplace(root, HashOfList(below));
    for (std::string& user : UsersOf(tree, root, mine, below).files) {
      if (std::find(paths.begin(), paths.end(), user) == paths.end())
        users.push_back(std::move(user));
    }
  }
  return users;
}

// Files with fixes, and users among those in which no rule can fire, which are not analysed: what
// these do with a result is not known.
std::vector<std::string> UsedUnseen(project::FileTree* tree, std::span<const std::string> roots,
                                    const std::vector<Item>& items,
                                    const std::vector<FileResult>& results,
                                    std::span<const std::string> paths,
                                    std::span<const ProjectRun::Outcome> outcomes,
                                    CheckTrace* trace) {
  std::vector<std::string> fixed, unseen, used;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const auto& found = outcomes[i].findings;
    const bool any = std::any_of(found.begin(), found.end(),
                                 [](const findings::Finding& f) { return f.fix.has_value(); });
    if (any) fixed.push_back(paths[i]);
  }
  if (fixed.empty()) return {};
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!results[i].parsed) unseen.push_back(items[i].absolute);
  }
  for (const std::string& root : roots) {
    std::vector<std::string> mine, below;
    const auto within = [&](const std::string& path) { return project::IsWithin(path, root); };
    std::copy_if(fixed.begin(), fixed.end(), std::back_inserter(mine), within);
    std::copy_if(unseen.begin(), unseen.end(), std::back_inserter(below), within);
    if (mine.empty() || below.empty()) continue;
    if (trace != nullptr) trace->below.emplace(root, HashOfList(FilesBelow(root)));
    const Users users = UsersOf(tree, root, mine, below);
    used.insert(used.end(), users.used.begin(), users.used.end());
  }
  return used;
}

// Roots below which nobody uses a file unseen: all is given, or users are looked for.
std::vector<std::string> ClosedRoots(std::span<const std::string> roots,
                                     std::span<const std::string> given) {
  std::vector<std::string> closed;
  std::copy_if(
      roots.begin(), roots.end(), std::back_inserter(closed),
      [&](const std::string& root) { return IsCovered(root, given) || IsProjectTop(root); });
  return closed;
}

}  // namespace

void AsProject(const CheckOptions& options, const std::vector<Item>& items,
               std::vector<FileResult>* results, Counts* counts, CheckTrace* trace) {
  project::DiskTree disk;
  cache::RecordingTree recording(&disk);
  project::FileTree* below = &disk;
  if (trace != nullptr) below = &recording;
  project::OverlayTree tree(below);
  std::vector<std::string> paths;
  std::vector<std::size_t> of_path;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].buffer != nullptr) tree.Put(items[i].absolute, items[i].buffer->bytes);
    if (!(*results)[i].parsed) continue;
    paths.push_back(items[i].absolute);
    of_path.push_back(i);
  }
  const std::vector<std::string> given = GivenFolders(options);
  const std::vector<std::string> roots = ImportRoots(paths, given, options.root);
  const std::vector<std::string> closed = ClosedRoots(roots, given);
  auto run =
      std::make_unique<ProjectRun>(&tree, ProjectRun::Where{roots, closed, options.root}, paths);
  counts->imported = run->imported_only();
  std::vector<ProjectRun::Outcome> outcomes =
      run->Run(options.rules, options.jobs, options.progress);
  // Single files of a project: what is found in them may look different to those who call them.
  const std::vector<std::string> users = UsersBeyond(&tree, roots, given, paths, outcomes, trace);
  if (!users.empty()) {
    std::vector<std::string> all = paths;
    all.insert(all.end(), users.begin(), users.end());
    run = std::make_unique<ProjectRun>(&tree, ProjectRun::Where{roots, closed, options.root}, all);
    outcomes = run->Run(options.rules, options.jobs, options.progress);
  }
  const auto unseen = UsedUnseen(&tree, roots, items, *results, paths, outcomes, trace);
  run->AgainAsUsed(unseen, options.rules, &outcomes);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    FileCheck(options, items[of_path[i]]).Complete(std::move(outcomes[i]), &(*results)[of_path[i]]);
  }
  if (trace == nullptr) return;
  trace->roots = roots;
  std::copy_if(roots.begin(), roots.end(), std::back_inserter(trace->tops), IsProjectTop);
  trace->seen = recording.Observations();
  trace->consistent = !recording.contradicts_itself();
}

}  // namespace torchleak::driver
