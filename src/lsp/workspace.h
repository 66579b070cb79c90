// Workspace: one folder that is open in the editor, with its project.
//
// A large project takes seconds until all is known of it; an opened file must have its findings at
// once. So there are two of them: `near` knows what is open and what that imports, `whole` all
// files below the folder. The first one answers until the second one is ready. The disk is searched
// on another thread (driver::Survey).
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/live_project.h"
#include "lsp/client_settings.h"

namespace torchleak::lsp {

class Workspace {
 public:
  // Files beyond: a home folder, a data set of notebooks. Only what is open is looked at then.
  static constexpr std::size_t kMostFiles = 20'000;
  // The first answer is given with these.
  static constexpr std::size_t kNearFiles = 40;

  // `is_project`: false for a folder that nobody opened and that is the top of no project.
  Workspace(std::string root, bool is_project);
  ~Workspace();

  const std::string& root() const { return root_; }
  bool is_project() const { return is_project_; }

  // New settings, or the disk has changed. Gives back what is wrong with settings and configuration
  // files, each once until it is mended. A file that cannot be read leaves in force what it said
  // before.
  std::vector<std::string> Refresh(const ClientSettings& settings);

  void Put(const std::string& path, const text::Result<text::Source>& source);
  void Drop(const std::string& path);

  // Brings what answers up to date. False: it gave way.
  bool Update(const std::function<bool()>& gives_way);
  // Goes on with what is to answer later. False: it gave way.
  bool Advance(const std::function<bool()>& gives_way);
  bool IsUpToDate() const { return is_whole_ ? whole_->IsUpToDate() : near_->IsUpToDate(); }
  bool IsCurrent(std::string_view path) const {
    return is_whole_ ? whole_->IsCurrent(path) : near_->IsCurrent(path);
  }
  // The disk is being searched: Update() has more to do soon.
  bool IsSearching() const { return survey_.valid(); }
  // All files are known.
  bool IsWhole() const { return is_whole_; }
  // Nothing is left to come: not of the disk, nor of the files that were found there.
  bool IsComplete() const { return !IsSearching() && is_whole_ == has_files_ && IsUpToDate(); }
  std::set<std::string> TakeChanged() { return std::exchange(changed_, {}); }
  std::vector<std::string> TakeComplaints() { return std::exchange(complaints_, {}); }

  // What answers by now.
  driver::LiveProject& project() { return is_whole_ ? *whole_ : *near_; }

 private:
  void ReadSettings(const ClientSettings& settings, std::vector<std::string>* complaints);
  void Search();
  void TakeSurvey();
  void Collect(driver::LiveProject& project);

  std::string root_;
  bool is_project_;
  std::shared_ptr<const config::SettingsIndex> settings_;
  std::unique_ptr<driver::LiveProject> near_, whole_;  // the first one until is_whole_
  bool has_files_ = false;                             // of a survey, in whole_
  bool is_whole_ = false;
  bool searches_again_ = false;
  std::set<std::string> changed_;
  std::vector<std::string> complaints_;
  std::set<std::string> told_;  // complaints
  std::set<std::string> said_;  // by Refresh()
  std::atomic<bool> stops_ = false;
  std::future<driver::Survey> survey_;  // the last one: its end waits for the thread
};

}  // namespace torchleak::lsp
