#include "lsp/workspace.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace torchleak::lsp {
namespace {

using driver::LiveProject;
using driver::Survey;

}  // namespace

Workspace::Workspace(std::string root, bool is_project)
    : root_(std::move(root)), is_project_(is_project) {}

Workspace::~Workspace() { stops_ = true; }

// A configuration that cannot be read: that of before stays in force, at first the built-in one.
void Workspace::ReadSettings(const ClientSettings& settings, std::vector<std::string>* complaints) {
  auto index = config::SettingsIndex::Create(IndexOptionsFor(settings, root_, complaints));
  if (!index) {
    complaints->push_back(index.error().message);
    if (settings_ != nullptr) return;
    index = config::SettingsIndex::Create({.root = root_, .isolated = true});
    if (!index) return;
  }
  settings_ = *std::move(index);
}

std::vector<std::string> Workspace::Refresh(const ClientSettings& settings) {
  std::vector<std::string> complaints;
  ReadSettings(settings, &complaints);
  if (settings_ == nullptr) return complaints;
  if (near_ == nullptr && !is_whole_) {
    near_ = std::make_unique<LiveProject>(LiveProject::Options{
        .root = root_,
        .settings = settings_,
        .whole = false,
        .most_imported = is_project_ ? kNearFiles : project::ImportGraph::kNoLimit});
    if (is_project_) {
      whole_ =
          std::make_unique<LiveProject>(LiveProject::Options{.root = root_, .settings = settings_});
    }
  }
  if (survey_.valid()) {
    searches_again_ = true;
  } else {
    Search();
  }
  // What has been said is not said again, until it has been mended.
  const std::set<std::string> said =
      std::exchange(said_, std::set<std::string>(complaints.begin(), complaints.end()));
  std::erase_if(complaints, [&](const std::string& complaint) { return said.contains(complaint); });
  return complaints;
}

void Workspace::Search() {
  driver::CheckOptions search = project().options();
  search.settings = settings_;
  search.respect_gitignore = settings_->run().respect_gitignore;
  search.single_file = settings_->run().single_file;
  if (whole_ == nullptr) search.paths.clear();
  survey_ = std::async(std::launch::async, [search, this] {
    return SurveyOf(search, kMostFiles, [this] { return stops_.load(); });
  });
}

void Workspace::Put(const std::string& path, const text::Result<text::Source>& source) {
  if (near_ != nullptr) near_->Put(path, source);
  if (whole_ != nullptr) whole_->Put(path, source);
}

void Workspace::Drop(const std::string& path) {
  if (near_ != nullptr) near_->Drop(path);
  if (whole_ != nullptr) whole_->Drop(path);
}

void Workspace::Collect(LiveProject& project) {
  for (std::string& path : project.TakeChanged()) changed_.insert(std::move(path));
}

void Workspace::TakeSurvey() {
  using namespace std::chrono_literals;
  if (!survey_.valid() || survey_.wait_for(0s) != std::future_status::ready) return;
  Survey survey = survey_.get();
  std::set<std::string> said;
  for (const driver::Notification& n : survey.notifications) {
    const std::string text = n.path + ": " + n.message;
    if (said.insert(text).second && !told_.contains(text)) complaints_.push_back(text);
  }
  told_ = std::move(said);  // what was mended meanwhile is told when it comes back
  if (std::exchange(searches_again_, false)) Search();
  if (survey.too_large) {
    complaints_.push_back(fmt::format(
        "{} has more than {} Python files: only open files and what they import are looked at; "
        "`exclude` in torchleak.toml leaves folders out",
        root_, kMostFiles));
    if (has_files_) return;  // those of before
    whole_ = nullptr;
  }
  has_files_ = whole_ != nullptr;
  if (!has_files_) {
    survey.items.clear();
    survey.results.clear();
  }
  (has_files_ ? whole_ : near_)->Take(std::move(survey));
}

bool Workspace::Update(const std::function<bool()>& gives_way) {
  TakeSurvey();
  const bool done = project().Update(gives_way);
  Collect(project());
  return done;
}

bool Workspace::Advance(const std::function<bool()>& gives_way) {
  if (is_whole_) return true;  // Update() takes what is new of the disk, and goes on with it
  TakeSurvey();
  // That may take the survey as well: only after it can be said whether there are files.
  if (!has_files_ && !Update(gives_way)) return false;
  if (!has_files_) return true;
  // It may give way by itself, with one file ahead of the others: that one has been shown already.
  while (!whole_->Update(gives_way)) {
    if (gives_way()) return false;
  }
  whole_->TakeChanged();
  // What was said by the other one may be said differently now.
  for (const auto& [path, file] : whole_->files()) {
    if (file.open) changed_.insert(path);
  }
  is_whole_ = true;
  near_ = nullptr;
  return true;
}

}  // namespace torchleak::lsp
