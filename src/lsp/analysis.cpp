#include "lsp/analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lsp/uri.h"
#include "text/notebook.h"

namespace torchleak::lsp {
namespace {

using namespace std::chrono_literals;
using TimePoint = std::chrono::steady_clock::time_point;

constexpr auto kLongestDebounce = 250ms;
constexpr auto kFast = 20ms;
// A request that has to wait longer for an analysis is answered without.
constexpr auto kLongestWait = 2s;
// Of the time of such a request, for what is to answer later ones.
constexpr auto kShare = 100ms;
// How often the search of the disk is asked whether it is done.
constexpr auto kPoll = 15ms;

bool IsPythonText(const TextDocument& document) {
  const std::string& language = document.language_id();
  const std::string& key = document.key();
  return language.starts_with("python") || key.ends_with(".py") || key.ends_with(".pyi") ||
         text::IsNotebook(key);
}

MessageType LevelOf(std::string_view name) {
  if (name == "error") return MessageType::kError;
  if (name == "warning") return MessageType::kWarning;
  return name == "debug" ? MessageType::kLog : MessageType::kInfo;
}

}  // namespace

Analysis::Analysis(Server& server) : server_(server) {
  server_.documents().SetListener([this](const DocumentEvent& event) { Hear(event); });
}

Analysis::~Analysis() { server_.documents().SetListener({}); }

void Analysis::Hear(const DocumentEvent& event) {
  switch (event.kind) {
    case DocumentEvent::Kind::kOpened: {
      const TextDocument* text = server_.documents().FindByKey(event.key);
      if (!event.is_notebook && (text == nullptr || !IsPythonText(*text))) return;
      const Home home = HomeOf(event);
      homes_.insert_or_assign(event.key, home);
      keys_.insert_or_assign(home.path, event.key);
      edited_.insert(event.key);
      return PlanWork(true);
    }
    case DocumentEvent::Kind::kChanged:
      if (!homes_.contains(event.key)) return;
      edited_.insert(event.key);
      return PlanWork(false);
    case DocumentEvent::Kind::kSaved:
      if (!server_.ClientCan("workspace/didChangeWatchedFiles/dynamicRegistration")) DiskChanged();
      return;
    case DocumentEvent::Kind::kClosed: {
      const auto home = homes_.find(event.key);
      if (home == homes_.end()) return;
      // Some clients open the text of a notebook before they close the notebook.
      if (server_.documents().FindByKey(event.key) != nullptr ||
          server_.documents().FindNotebookByKey(event.key) != nullptr) {
        edited_.insert(event.key);
        return PlanWork(true);
      }
      for (Workspace* workspace : Holders(home->second)) workspace->Drop(home->second.path);
      edited_.erase(event.key);
      keys_.erase(home->second.path);
      homes_.erase(home);
      return PlanWork(true);
    }
  }
}

// After an edit slow work waits as long as it took the last time, so as not to keep a typist's
// machine busy; fast work answers at once.
void Analysis::PlanWork(bool at_once) {
  auto delay = std::min<std::chrono::milliseconds>(last_took_, kLongestDebounce);
  if (last_took_ <= kFast) delay = 0ms;
  if (settings_.debounce) delay = std::chrono::milliseconds(*settings_.debounce);
  server_.Schedule(at_once ? 0ms : delay);
}

void Analysis::TakeTexts() {
  for (const std::string& key : std::exchange(edited_, {})) {
    const auto home = homes_.find(key);
    if (home == homes_.end()) continue;
    const std::string& path = home->second.path;
    const NotebookDocument* notebook = server_.documents().FindNotebookByKey(key);
    const TextDocument* text = server_.documents().FindByKey(key);
    if (notebook == nullptr && text == nullptr) continue;
    const std::string content = notebook != nullptr ? notebook->FileText() : text->text();
    for (Workspace* workspace : Holders(home->second)) {
      workspace->Put(path,
                     text::Source::FromText(driver::DisplayPath(path, workspace->root()), content));
    }
  }
}

bool Analysis::Update(const std::function<bool()>& gives_way) {
  const TimePoint begin = std::chrono::steady_clock::now();
  TakeTexts();
  bool done = true;
  for (const auto& workspace : workspaces_) done &= workspace->Update(gives_way);
  if (done) {
    last_took_ = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - begin);
  }
  return done;
}

// For whoever wonders what was looked at, and with which configuration.
void Analysis::LogWork(const std::set<std::string>& changed) {
  constexpr std::size_t kMostNamed = 20;
  std::string text =
      fmt::format("looked at {} files in {} ms:", changed.size(), last_took_.count());
  std::size_t named = 0;
  for (const std::string& path : changed) {
    if (named++ == kMostNamed) break;
    text += " " + path;
    for (const auto& workspace : workspaces_) {
      const driver::LiveProject::File* file = workspace->project().At(path);
      if (file == nullptr || !IsHome(*workspace, path)) continue;
      text += fmt::format(" ({} findings", file->result.findings.size());
      if (file->excluded) text += ", excluded";
      if (file->item.settings != nullptr && !file->item.settings->files.empty())
        text += ", " + file->item.settings->files.front();
      text += ")";
    }
  }
  if (named > kMostNamed) text += " …";
  server_.Log(MessageType::kLog, text);
}

void Analysis::Tell() {
  std::set<std::string> changed;
  for (const auto& workspace : workspaces_) {
    changed.merge(workspace->TakeChanged());
    for (const std::string& complaint : workspace->TakeComplaints())
      server_.Log(MessageType::kWarning, complaint);
  }
  if (!changed.empty() && server_.Logs(MessageType::kLog)) LogWork(changed);
  for (const Listener& listener : listeners_) listener(changed);
}

WorkState Analysis::Work() {
  const auto gives_way = [this] { return server_.HasPending(); };
  bool done = Update(gives_way);
  Tell();
  for (const auto& workspace : workspaces_) done = done && workspace->Advance(gives_way);
  Tell();
  if (!done) return WorkState::kInterrupted;
  const bool searching = std::any_of(workspaces_.begin(), workspaces_.end(),
                                     [](const auto& w) { return w->IsSearching(); });
  if (searching) server_.Schedule(kPoll);
  return WorkState::kDone;
}

bool Analysis::IsComplete() const {
  return edited_.empty() &&
         std::all_of(workspaces_.begin(), workspaces_.end(),
                     [](const auto& workspace) { return workspace->IsComplete(); });
}

OpenFile Analysis::FileOf(std::string_view uri) const {
  std::string key = DocumentKey(uri);
  if (const NotebookDocument* notebook = server_.documents().NotebookOfCell(uri))
    key = notebook->key();
  const auto home = homes_.find(key);
  if (home == homes_.end()) return {};
  OpenFile file{home->second.workspace, home->second.path, nullptr, nullptr};
  if (!file.workspace->IsCurrent(file.path) || edited_.contains(key)) return file;
  file.file = file.workspace->project().At(file.path);
  file.parsed = file.workspace->project().OpenFile(file.path);
  return file;
}

OpenFile Analysis::Current(std::string_view uri) {
  const TimePoint end = std::chrono::steady_clock::now() + kLongestWait;
  const auto gives_way = [end] { return std::chrono::steady_clock::now() > end; };
  while (!Update(gives_way) && !gives_way()) Tell();
  Tell();
  // A client that asks without a pause would never let the whole project be looked at.
  const TimePoint soon = std::chrono::steady_clock::now() + kShare;
  for (const auto& workspace : workspaces_)
    workspace->Advance([soon] { return std::chrono::steady_clock::now() > soon; });
  Tell();
  return FileOf(uri);
}

std::optional<Location> Analysis::LocationOf(Workspace& workspace, const std::string& path,
                                             text::Span span) {
  const std::string absolute = driver::AbsolutePath(path, workspace.root());
  const text::Source* source = workspace.project().SourceOf(absolute);
  if (source == nullptr) return std::nullopt;
  const auto key = keys_.find(absolute);
  return places().Of(key == keys_.end() ? absolute : key->second, *source, span);
}

std::vector<Analysis::Open> Analysis::OpenDocuments() const {
  std::vector<Open> open;
  for (const auto& [key, home] : homes_) {
    const NotebookDocument* notebook = server_.documents().FindNotebookByKey(key);
    const TextDocument* text = server_.documents().FindByKey(key);
    if (notebook == nullptr && text == nullptr) continue;
    open.push_back(
        {home.path, notebook != nullptr ? notebook->uri() : text->uri(), home.workspace});
  }
  return open;
}

void Analysis::SetSettings(ClientSettings settings) {
  const bool same = settings == settings_;
  settings_ = std::move(settings);
  server_.SetLogLevel(LevelOf(settings_.log_level));
  if (same) return;
  for (const auto& workspace : workspaces_) Refresh(*workspace);
  server_.Schedule(0ms);
}

void Analysis::DiskChanged() {
  for (const auto& workspace : workspaces_) Refresh(*workspace);
  server_.Schedule(0ms);
}

}  // namespace torchleak::lsp
