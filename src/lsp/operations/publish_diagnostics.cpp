// textDocument/publishDiagnostics: for clients that do not pull.
//
// A document is published when it was opened, edited (with its new version, so that the client
// knows that nothing is left to come) or when another file made a difference; never the same thing
// twice.
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "lsp/diagnostics.h"
#include "lsp/operations/operations.h"

namespace torchleak::lsp {
namespace {

class Publisher {
 public:
  explicit Publisher(Analysis& analysis) : analysis_(analysis) {}

  void Publish(const std::set<std::string>& changed) {
    std::map<std::string, Published> before = std::move(published_);
    published_.clear();
    for (const Analysis::Open& open : analysis_.OpenDocuments()) {
      const bool is_known = analysis_.FileOf(open.uri).file != nullptr;
      for (const std::string& uri : DocumentsOf(open)) {
        const auto known = before.find(uri);
        if (known == before.end() && !is_known) continue;
        if (known != before.end()) published_.insert(before.extract(known));
      }
      if (is_known) PublishFile(open, changed.contains(open.path));
    }
    for (const auto& [uri, gone] : before) Send(uri, std::nullopt, Json::array());
  }

 private:
  struct Published {
    std::int64_t version = 0;
    Json diagnostics;
  };

  // Itself, or the cells of a notebook.
  std::vector<std::string> DocumentsOf(const Analysis::Open& open) const {
    const NotebookDocument* notebook = analysis_.server().documents().FindNotebook(open.uri);
    if (notebook == nullptr) return {open.uri};
    std::vector<std::string> uris;
    for (const NotebookDocument::Cell& cell : notebook->cells()) {
      if (cell.text) uris.push_back(cell.text->uri());
    }
    return uris;
  }

  void PublishFile(const Analysis::Open& open, bool has_changed) {
    const std::vector<std::string> uris = DocumentsOf(open);
    bool is_new = has_changed;
    for (const std::string& uri : uris) {
      const auto known = published_.find(uri);
      const TextDocument* document = analysis_.server().documents().Find(uri);
      is_new |= known == published_.end() ||
                (document != nullptr && document->version() != known->second.version);
    }
    if (!is_new) return;
    DiagnosticsByUri found = DiagnosticsOf(analysis_, *open.workspace, open.path);
    const bool with_related = ShowsRelated(analysis_.server());
    for (const std::string& uri : uris) {
      Json diagnostics = Json::array();
      for (const Diagnostic& d : found[uri]) diagnostics.push_back(ToJson(d, with_related));
      const TextDocument* document = analysis_.server().documents().Find(uri);
      if (document == nullptr) continue;
      const auto [known, first] = published_.try_emplace(uri);
      const bool same = !first && known->second.version == document->version() &&
                        known->second.diagnostics == diagnostics;
      if (same) continue;
      known->second = {document->version(), diagnostics};
      Send(uri, document->version(), std::move(diagnostics));
    }
  }

  void Send(const std::string& uri, std::optional<std::int64_t> version, Json diagnostics) {
    Json params = {{"uri", uri}, {"diagnostics", std::move(diagnostics)}};
    if (version) params["version"] = *version;
    analysis_.server().Notify("textDocument/publishDiagnostics", params);
  }

  Analysis& analysis_;
  std::map<std::string, Published> published_;  // by URI
};

}  // namespace

void AddPublishDiagnostics(Analysis& analysis) {
  auto publisher = std::make_shared<Publisher>(analysis);
  analysis.OnChange([publisher, &analysis](const std::set<std::string>& changed) {
    if (!PullsDiagnostics(analysis.server())) publisher->Publish(changed);
  });
}

}  // namespace torchleak::lsp
