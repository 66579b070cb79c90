#include "driver/project_analysis.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "driver/users.h"
#include "project/paths.h"

namespace torchleak::driver {
namespace {

// Does the run look at every file below the root anyway?
bool IsCovered(const std::string& root, std::span<const std::string> given) {
  return std::any_of(given.begin(), given.end(),
                     [&](const std::string& g) { return project::IsWithin(root, g); });
}

std::vector<std::string> Within(const std::string& root, std::span<const std::string> paths) {
  std::vector<std::string> within;
  std::copy_if(paths.begin(), paths.end(), std::back_inserter(within),
               [&](const std::string& path) { return project::IsWithin(path, root); });
  return within;
}

// Roots below which nobody uses a file unseen: all is given, or users are looked for.
std::vector<std::string> ClosedRoots(const ProjectFiles& files) {
  std::vector<std::string> closed;
  if (!files.looks_for_users) return closed;
  std::copy_if(
      files.roots.begin(), files.roots.end(), std::back_inserter(closed),
      [&](const std::string& root) { return IsCovered(root, files.given) || IsProjectTop(root); });
  return closed;
}

bool HasFix(const ProjectRun::Outcome& outcome) {
  return outcome.found != nullptr &&
         std::any_of(outcome.found->findings.begin(), outcome.found->findings.end(),
                     [](const findings::Finding& f) { return f.fix.has_value(); });
}

}  // namespace

ProjectAnalysis::ProjectAnalysis(const CheckOptions& options, FileTexts* texts, ImportMaps* maps,
                                 ProjectFiles files, AnalysisMemo* memo)
    : options_(options), texts_(texts), maps_(maps), files_(std::move(files)), memo_(memo) {}

std::vector<ProjectRun::Outcome> ProjectAnalysis::RunOn(std::span<const std::string> paths,
                                                        const std::function<bool()>& gives_way) {
  const ProjectRun::Where where{ClosedRoots(files_), options_.root, options_.settings};
  run_ = std::make_unique<ProjectRun>(texts_, where, maps_->Of(paths, files_.most_imported), memo_);
  return run_->Run({.rules = options_.rules,
                    .jobs = options_.jobs,
                    .progress = options_.progress,
                    .gives_way = gives_way});
}

// Files that nobody gave, and that use those in which something was found.
std::vector<std::string> ProjectAnalysis::UsersBeyond(std::span<const ProjectRun::Outcome> outcomes,
                                                      CheckTrace* trace) {
  std::vector<std::string> found, users;
  if (!files_.looks_for_users) return users;
  for (std::size_t i = 0; i < files_.paths.size(); ++i) {
    if (outcomes[i].found != nullptr && !outcomes[i].found->findings.empty())
      found.push_back(files_.paths[i]);
  }
  for (const std::string& root : files_.roots) {
    if (IsCovered(root, files_.given) || found.empty() || !IsProjectTop(root)) continue;
    const std::vector<std::string> mine = Within(root, found);
    if (mine.empty()) continue;
    const std::vector<std::string>& below = maps_->Below(root);
    if (trace != nullptr) trace->below.emplace(root, HashOfList(below));
    for (std::string& user : maps_->UsersOf(mine, below).files) {
      if (std::find(files_.paths.begin(), files_.paths.end(), user) == files_.paths.end())
        users.push_back(std::move(user));
    }
  }
  return users;
}

// Of the files with fixes those with users among the unseen: what these do with a result is not
// known.
std::vector<std::string> ProjectAnalysis::UsedUnseen(std::span<const std::string> fixed,
                                                     CheckTrace* trace) {
  std::vector<std::string> used;
  if (fixed.empty()) return used;
  for (const std::string& root : files_.roots) {
    const std::vector<std::string> mine = Within(root, fixed), below = Within(root, files_.unseen);
    if (mine.empty() || below.empty()) continue;
    if (trace != nullptr) trace->below.emplace(root, HashOfList(maps_->Below(root)));
    const Users users = maps_->UsersOf(mine, below);
    used.insert(used.end(), users.used.begin(), users.used.end());
  }
  return used;
}

std::vector<std::string> ProjectAnalysis::Fixed(
    std::span<const ProjectRun::Outcome> outcomes) const {
  std::vector<std::string> fixed;
  for (std::size_t i = 0; i < files_.paths.size(); ++i) {
    if (HasFix(outcomes[i])) fixed.push_back(files_.paths[i]);
  }
  return fixed;
}

std::vector<ProjectRun::Outcome> ProjectAnalysis::Run(CheckTrace* trace,
                                                      const std::function<bool()>& gives_way) {
  std::vector<ProjectRun::Outcome> outcomes = RunOn(files_.paths, gives_way);
  if (run_->gave_way()) return {};
  imported_only_ = run_->imported_only();
  // Single files of a project: what is found in them may look different to those who call them.
  const std::vector<std::string> users = UsersBeyond(outcomes, trace);
  if (!users.empty()) {
    std::vector<std::string> all = files_.paths;
    all.insert(all.end(), users.begin(), users.end());
    outcomes = RunOn(all, gives_way);
    if (run_->gave_way()) return {};
  }
  for (const std::string& path : UsedUnseen(Fixed(outcomes), trace)) {
    const auto at = std::find(files_.paths.begin(), files_.paths.end(), path);
    const auto index = static_cast<std::size_t>(at - files_.paths.begin());
    run_->AgainAsUsed(path, options_.rules, &outcomes[index]);
  }
  return outcomes;
}

bool ProjectAnalysis::Revise(const std::string& path, ProjectRun::Outcome* outcome) {
  if (run_ == nullptr || !run_->Revise(path, options_.rules, outcome)) return false;
  if (HasFix(*outcome) && !UsedUnseen(std::vector{path}, nullptr).empty())
    run_->AgainAsUsed(path, options_.rules, outcome);
  return true;
}

}  // namespace torchleak::driver
