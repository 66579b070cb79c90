// The order of things in Update(): what arrived is parsed and scanned; imports that changed forget
// who depends on whom; then either the one changed file is looked at again, or all are run.
#include <algorithm>
#include <set>
#include <utility>

#include "driver/live_project.h"
#include "driver/roots.h"
#include "project/dependencies.h"

namespace torchleak::driver {

// False: who is looked at, or who imports whom, is no longer what it was.
bool LiveProject::Rescan(File* file) {
  const bool was_seen = file->scan.parsed;
  Scan(file);
  if (maps_ == nullptr) return false;
  const project::FileId id = maps_->index().Find(file->item.absolute);
  bool same = was_seen == file->scan.parsed;
  if (id != project::kNoFile) {
    same &= maps_->index().Reread(id);
    if (same) same = maps_->HasDependencies(id, project::Dependencies(&maps_->index(), id));
  }
  if (!same) maps_->Forget();
  return same;
}

ProjectFiles LiveProject::Files() const {
  ProjectFiles files;
  for (const auto& [path, file] : files_) {
    if (!file.excluded) (IsSeen(file) ? files.paths : files.unseen).push_back(path);
  }
  files.looks_for_users = whole_;
  files.most_imported = most_imported_;
  files.given = {options_.root};
  files.roots = ImportRoots(files.paths, files.given, options_.root);
  return files;
}

void LiveProject::Finish(File* file, const ProjectRun::Outcome& outcome) {
  file->found = outcome.found;
  file->result = file->scan;
  FileCheck(options_, file->item).Complete(outcome, &file->result);
  MoveSteps(file);
  Note(*file);
}

// Steps in other files stand where the interfaces of these say, until they are made anew.
void LiveProject::MoveSteps(File* file) const {
  const auto move = [&](findings::Finding* finding) {
    for (findings::Step& step : finding->flow) {
      if (step.location.path == file->item.display) continue;
      const auto moved = moved_.find(step.location.path);
      if (moved != moved_.end()) step.location.span = moved->second->Now(step.location.span);
    }
  };
  if (moved_.empty()) return;
  for (findings::Finding& finding : file->result.findings) move(&finding);
  for (findings::Suppressed& suppressed : file->result.suppressed) move(&suppressed.finding);
}

// Findings that lead into files whose code has moved are shown anew.
void LiveProject::TakeMoved() {
  const ProjectRun::Moved before = std::exchange(moved_, analysis_->run().MovedFiles());
  std::set<std::string_view> differ;
  for (const auto& [path, moved] : before) {
    const auto now = moved_.find(path);
    if (now == moved_.end() || now->second != moved) differ.insert(path);
  }
  for (const auto& [path, moved] : moved_) {
    if (!before.contains(path)) differ.insert(path);
  }
  if (differ.empty()) return;
  const auto leads = [&](const findings::Finding& finding) {
    return std::any_of(finding.flow.begin(), finding.flow.end(), [&](const findings::Step& step) {
      return differ.contains(step.location.path);
    });
  };
  for (auto& [path, file] : files_) {
    if (file.found == nullptr) continue;
    const auto& found = file.found->findings;
    if (std::any_of(found.begin(), found.end(), leads)) Finish(&file, {file.found, {}});
  }
}

void LiveProject::FinishUnseen(File* file) {
  file->found = nullptr;
  file->result = file->excluded ? FileResult() : file->scan;
  Note(*file);
}

bool LiveProject::RunAll(const std::function<bool()>& gives_way) {
  ProjectFiles files = Files();
  if (maps_ == nullptr || roots_ != files.roots) {
    roots_ = files.roots;
    maps_ = std::make_unique<ImportMaps>(
        std::make_shared<project::ModuleIndex>(texts_->tree(), roots_));
  }
  const std::vector<std::string> paths = files.paths;
  auto analysis = std::make_unique<ProjectAnalysis>(options_, texts_.get(), maps_.get(),
                                                    std::move(files), &memo_);
  memo_.Begin();
  const std::vector<ProjectRun::Outcome> outcomes = analysis->Run(nullptr, gives_way);
  if (analysis->gave_way()) return false;
  memo_.End();
  for (std::size_t i = 0; i < paths.size(); ++i) {
    File& file = files_.find(paths[i])->second;
    if (outcomes[i].found == nullptr || outcomes[i].found != file.found) Finish(&file, outcomes[i]);
  }
  analysis_ = std::move(analysis);
  TakeMoved();
  return true;
}

// Can it be shown before the others are done? Not when its callers may make a difference.
bool LiveProject::IsAhead(const ProjectRun::Outcome& outcome, const File& file) const {
  return outcome.found != nullptr &&
         (outcome.found->findings.empty() || !analysis_->run().IsImported(file.item.absolute));
}

// True when that was all. `same`: its imports are what they were; else what is found stands until
// the others are done.
bool LiveProject::ReviseOne(File* file, bool same) {
  ProjectRun::Outcome outcome;
  memo_.Begin();
  const bool alone = analysis_->Revise(file->item.absolute, &outcome) && same;
  if (alone || IsAhead(outcome, *file)) {
    Finish(file, outcome);
    if (!alone) ahead_ = file->item.absolute;
  }
  if (alone) TakeMoved();
  return alone;
}

bool LiveProject::Update(const std::function<bool()>& gives_way) {
  if (is_up_to_date_) return true;
  if (dirty_.contains(ahead_)) ahead_.clear();
  bool same = analysis_ != nullptr;
  std::vector<File*> seen;
  for (const std::string& path : std::exchange(dirty_, {})) {
    const auto known = files_.find(path);
    if (known == files_.end()) continue;
    File& file = known->second;
    const cache::Hash128 before = file.scan.content;
    read_.erase(path);
    same &= Rescan(&file);
    if (!IsSeen(file)) {
      // Nothing is found in it, but others may import it.
      const bool is_read = analysis_ != nullptr && analysis_->run().Has(path);
      same &= !file.excluded && (!is_read || file.scan.content == before);
      FinishUnseen(&file);
    } else if (!(file.scan.content == before)) {
      seen.push_back(&file);
    }
  }
  if (seen.size() == 1 && analysis_ != nullptr &&
      analysis_->run().Has(seen.front()->item.absolute)) {
    if (ReviseOne(seen.front(), same)) return is_up_to_date_ = true;
    if (!ahead_.empty() && gives_way != nullptr) {
      analysis_ = nullptr;
      return false;
    }
  }
  if (same && seen.empty()) return is_up_to_date_ = true;
  analysis_ = nullptr;
  is_up_to_date_ = RunAll(gives_way);
  if (is_up_to_date_) ahead_.clear();
  return is_up_to_date_;
}

}  // namespace torchleak::driver
