// ProjectAnalysis: the files in which a rule can fire, with what they import and who uses them.
//
//   ProjectAnalysis analysis(options, &texts, &maps, std::move(files));
//   for (const ProjectRun::Outcome& outcome : analysis.Run(trace)) …   // by ProjectFiles::paths
//
// The same for a check that runs once and for an editor, which keeps texts, maps and a memo between
// its runs.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "driver/check_trace.h"
#include "driver/project_run.h"

namespace torchleak::driver {

struct ProjectFiles {
  std::vector<std::string> paths;   // in which a rule can fire
  std::vector<std::string> unseen;  // in which none can: what is in them is not looked at
  std::vector<std::string> given;   // folders that were asked for
  std::vector<std::string> roots;   // of imports
  // False: files that nobody gave may use any of these, and are not looked for.
  bool looks_for_users = true;
  std::size_t most_imported = project::ImportGraph::kNoLimit;  // see ImportMaps::Of
};

class ProjectAnalysis {
 public:
  // All must outlive it; `memo` may be null.
  ProjectAnalysis(const CheckOptions& options, FileTexts* texts, ImportMaps* maps,
                  ProjectFiles files, AnalysisMemo* memo = nullptr);

  // Empty when it gave way (see ProjectRun::How). `trace` may be null.
  std::vector<ProjectRun::Outcome> Run(CheckTrace* trace,
                                       const std::function<bool()>& gives_way = nullptr);

  // After Run: see ProjectRun::Revise.
  bool Revise(const std::string& path, ProjectRun::Outcome* outcome);

  bool gave_way() const { return run_ == nullptr || run_->gave_way(); }
  const ProjectFiles& files() const { return files_; }
  std::size_t imported_only() const { return imported_only_; }  // see ProjectRun
  const ProjectRun& run() const { return *run_; }

 private:
  std::vector<ProjectRun::Outcome> RunOn(std::span<const std::string> paths,
                                         const std::function<bool()>& gives_way);
  std::vector<std::string> UsersBeyond(std::span<const ProjectRun::Outcome> outcomes,
                                       CheckTrace* trace);
  std::vector<std::string> UsedUnseen(std::span<const std::string> fixed, CheckTrace* trace);
  std::vector<std::string> Fixed(std::span<const ProjectRun::Outcome> outcomes) const;

  const CheckOptions& options_;
  FileTexts* texts_;
  ImportMaps* maps_;
  ProjectFiles files_;
  AnalysisMemo* memo_;
  std::unique_ptr<ProjectRun> run_;
  std::size_t imported_only_ = 0;
};

}  // namespace torchleak::driver
