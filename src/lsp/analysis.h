// Analysis: what is known of the documents that are open, kept up to date.
//
//   Analysis analysis(server);                       // listens to the documents
//   server.SetWork([&] { return analysis.Work(); });
//
// Operations ask for one document; what was typed meanwhile is analysed first.
//
//   if (const OpenFile file = analysis.Current(uri)) …  file.file->result.findings
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/client_settings.h"
#include "lsp/places.h"
#include "lsp/server.h"
#include "lsp/workspace.h"

namespace torchleak::lsp {

// A document or notebook that is analysed. What it points to is good until the next message.
struct OpenFile {
  Workspace* workspace = nullptr;
  std::string path;
  const driver::LiveProject::File* file = nullptr;
  driver::ParsedPtr parsed;
  // False when the document is not one that is analysed, or no text.
  explicit operator bool() const { return file != nullptr && parsed != nullptr; }
};

class Analysis {
 public:
  explicit Analysis(Server& server);
  ~Analysis();

  // Publishes what is new. Called when no message waits.
  WorkState Work();

  // Brings the document up to date first, as far as that takes no long time. `uri` may be that of a
  // notebook's cell.
  OpenFile Current(std::string_view uri);
  // Without bringing anything up to date.
  OpenFile FileOf(std::string_view uri) const;
  // Where a span of a file of this workspace stands; `path` as findings spell it.
  std::optional<Location> LocationOf(Workspace& workspace, const std::string& path,
                                     text::Span span);
  // Open documents that are analysed, by path; of a notebook its own URI.
  struct Open {
    std::string path, uri;
    Workspace* workspace;
  };
  std::vector<Open> OpenDocuments() const;

  const ClientSettings& settings() const { return settings_; }
  // The client shows message and steps of a diagnostic beside a hover, which then leaves them out.
  bool hovers_are_brief() const { return hovers_are_brief_; }
  void SetBriefHovers(bool brief) { hovers_are_brief_ = brief; }
  void SetSettings(ClientSettings settings);
  void AddFolder(const std::string& uri);
  void RemoveFolder(const std::string& uri);
  // Files came, went or changed on disk, configuration among them.
  void DiskChanged();

  Server& server() { return server_; }
  Places places() const { return Places(server_.documents(), server_.documents().encoding()); }
  const std::vector<std::unique_ptr<Workspace>>& workspaces() const { return workspaces_; }
  // Is this the workspace that shows what is found in the file?
  bool IsHome(const Workspace& workspace, const std::string& path) const;
  // True when all workspaces know all of their files, and all that was typed.
  bool IsComplete() const;

  // Called for every file whose findings have changed, after each round of work.
  using Listener = std::function<void(const std::set<std::string>& paths)>;
  void OnChange(Listener listener) { listeners_.push_back(std::move(listener)); }

 private:
  void Hear(const DocumentEvent& event);
  struct Home {
    Workspace* workspace;
    std::string path;  // in it: of what is no file, one that only looks like it
    bool is_file = true;
  };
  Home HomeOf(const DocumentEvent& event);
  std::vector<Workspace*> Holders(const Home& home) const;
  Workspace& WorkspaceOf(const std::string& path);
  Workspace& Add(const std::string& root, bool is_project);
  void Refresh(Workspace& workspace);
  void Reopen();  // after folders came or went
  void TakeTexts();
  bool Update(const std::function<bool()>& gives_way);
  void Tell();
  void LogWork(const std::set<std::string>& changed);
  void PlanWork(bool at_once);

  Server& server_;
  ClientSettings settings_;
  bool hovers_are_brief_ = false;
  std::vector<std::unique_ptr<Workspace>> workspaces_;
  std::set<std::string> folders_;            // of the client, as paths
  std::map<std::string, Home> homes_;        // of open documents, by key
  std::map<std::string, std::string> keys_;  // the other way round, by path
  std::set<std::string> edited_;             // keys of documents whose text was not yet taken
  std::vector<Listener> listeners_;
  std::chrono::milliseconds last_took_{0};
};

}  // namespace torchleak::lsp
