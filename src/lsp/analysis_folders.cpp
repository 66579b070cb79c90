// Which folder speaks for which document: those that the client has opened, and what stands in for
// them.
#include <algorithm>
#include <utility>

#include "driver/roots.h"
#include "driver/users.h"
#include "lsp/analysis.h"
#include "lsp/uri.h"
#include "project/paths.h"
#include "text/notebook.h"

namespace torchleak::lsp {
namespace {

using namespace std::chrono_literals;

// Which folder a file is looked at with when the client has opened none that holds it.
std::string RootAround(const std::string& path, bool* is_project) {
  const std::string root = driver::ImportRoots(std::vector{path}, {}, "/nowhere").front();
  *is_project = driver::IsProjectTop(root);
  return root;
}

}  // namespace

Workspace& Analysis::Add(const std::string& root, bool is_project) {
  const auto known = std::find_if(workspaces_.begin(), workspaces_.end(),
                                  [&](const auto& workspace) { return workspace->root() == root; });
  if (known != workspaces_.end() && ((*known)->is_project() || !is_project)) return **known;
  auto added = std::make_unique<Workspace>(root, is_project);
  Refresh(*added);
  Workspace& workspace = *added;
  if (known == workspaces_.end()) {
    workspaces_.push_back(std::move(added));
    return workspace;
  }
  // A file made it known, and now the whole folder was opened.
  for (auto& [key, home] : homes_) {
    if (home.workspace != known->get()) continue;
    home.workspace = &workspace;
    edited_.insert(key);
  }
  *known = std::move(added);
  return workspace;
}

// The user wrote it a moment ago, and would else wonder why it does nothing.
void Analysis::Refresh(Workspace& workspace) {
  for (const std::string& complaint : workspace.Refresh(settings_)) {
    server_.Log(MessageType::kError, complaint);
    server_.Show(MessageType::kError, "torchleak: " + complaint);
  }
}

// The innermost folder of the client; else the project around the file.
Workspace& Analysis::WorkspaceOf(const std::string& path) {
  std::string_view nearest;
  for (const std::string& folder : folders_) {
    if (project::IsWithin(path, folder) && folder.size() > nearest.size()) nearest = folder;
  }
  if (!nearest.empty()) return Add(std::string(nearest), true);
  bool is_project = false;
  const std::string root = RootAround(path, &is_project);
  return Add(root, is_project);
}

Analysis::Home Analysis::HomeOf(const DocumentEvent& event) {
  std::string path = event.key;
  if (!event.is_file) {
    std::string name = event.key;
    std::replace(name.begin(), name.end(), '/', '_');
    path = "/" + name;  // in no folder: it is no module of any project
  }
  if (event.is_notebook && !text::IsNotebook(path)) path += ".ipynb";
  return {&WorkspaceOf(path), path, event.is_file};
}

// Of folders inside of each other all know the text; the innermost shows what is found in it.
std::vector<Workspace*> Analysis::Holders(const Home& home) const {
  std::vector<Workspace*> holders;
  for (const auto& workspace : workspaces_) {
    const bool is_home = workspace.get() == home.workspace;
    const bool holds =
        home.is_file && workspace->is_project() && project::IsWithin(home.path, workspace->root());
    if (is_home || holds) holders.push_back(workspace.get());
  }
  return holders;
}

bool Analysis::IsHome(const Workspace& workspace, const std::string& path) const {
  if (const auto key = keys_.find(path); key != keys_.end())
    return homes_.at(key->second).workspace == &workspace;
  return std::none_of(workspaces_.begin(), workspaces_.end(), [&](const auto& other) {
    return other->root().size() > workspace.root().size() && other->is_project() &&
           project::IsWithin(path, other->root());
  });
}

void Analysis::AddFolder(const std::string& uri) {
  const auto path = lsp::PathOf(uri);
  if (!path || !folders_.insert(*path).second) return;
  Add(*path, true);
  Reopen();
}

void Analysis::RemoveFolder(const std::string& uri) {
  const auto path = lsp::PathOf(uri);
  if (!path || folders_.erase(*path) == 0) return;
  Reopen();
}

// Documents move to the folder that they belong to now; folders without any are let go.
void Analysis::Reopen() {
  for (auto& [key, home] : homes_) {
    Workspace& now = WorkspaceOf(home.path);
    edited_.insert(key);  // new folders may hold it, too
    if (&now == home.workspace) continue;
    if (!folders_.contains(home.workspace->root())) home.workspace->Drop(home.path);
    home.workspace = &now;
  }
  std::erase_if(workspaces_, [&](const auto& workspace) {
    const bool used = folders_.contains(workspace->root()) ||
                      std::any_of(homes_.begin(), homes_.end(), [&](const auto& home) {
                        return home.second.workspace == workspace.get();
                      });
    return !used;
  });
  server_.Schedule(0ms);
}

}  // namespace torchleak::lsp
