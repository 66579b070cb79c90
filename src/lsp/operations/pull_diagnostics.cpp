// Diagnostics for clients that ask for them: of one document, and of the whole workspace.
//
// A report has a result id, a hash of its content: a client that shows it and names it again is
// told "unchanged". workspace/diagnostic waits until all files are known.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "cache/hash.h"
#include "lsp/diagnostics.h"
#include "lsp/operations/operations.h"
#include "lsp/uri.h"

namespace torchleak::lsp {
namespace {

std::string ResultId(const Json& items) {
  return cache::Hex(cache::HashOf(items.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

Json ItemsOf(const std::vector<Diagnostic>& found, bool with_related) {
  Json items = Json::array();
  for (const Diagnostic& d : found) items.push_back(ToJson(d, with_related));
  return items;
}

// The members of a report, full or unchanged.
Json ReportOf(Json items, const std::string& previous) {
  const std::string id = ResultId(items);
  if (id == previous) return {{"kind", "unchanged"}, {"resultId", id}};
  return {{"kind", "full"}, {"resultId", id}, {"items", std::move(items)}};
}

class Puller {
 public:
  explicit Puller(Analysis& analysis) : analysis_(analysis) {}

  Answer Document(Request& request) {
    const Fields fields(request.params, "params");
    const std::string uri = fields.At("textDocument").String("uri");
    const std::string previous =
        fields.Has("previousResultId") ? fields.String("previousResultId") : std::string();
    if (auto error = fields.error()) return InvalidParams(*error);
    const OpenFile file = analysis_.Current(uri);
    // Not known yet is not the same as nothing.
    if (file.workspace != nullptr && file.file == nullptr) {
      return ResponseError{error_code::kServerCancelled,
                           "the file is still being looked at",
                           {{"retriggerRequest", true}}};
    }
    DiagnosticsByUri found;
    if (file) found = DiagnosticsOf(analysis_, *file.workspace, file.path);
    const TextDocument* document = analysis_.server().documents().Find(uri);
    Json report =
        ReportOf(ItemsOf(found[document == nullptr ? uri : document->uri()], Related()), previous);
    if (document != nullptr) asked_[uri] = {document->version(), report["resultId"]};
    return report;
  }

  Answer Workspace(Request& request) {
    const Fields fields(request.params, "params");
    std::map<std::string, std::string> previous;
    const std::size_t count =
        fields.Has("previousResultIds") ? fields.Array("previousResultIds").size() : 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Fields id = fields.Element("previousResultIds", i);
      previous[id.String("uri")] = id.String("value");
    }
    if (auto error = fields.error()) return InvalidParams(*error);
    is_listed_ = true;
    if (analysis_.IsComplete()) return AllOf(previous);
    waiting_.emplace_back(request.id, std::move(previous));
    return Later{};
  }

  // After each round of work.
  void Changed(const std::set<std::string>& changed) {
    if (!waiting_.empty() && analysis_.IsComplete()) {
      for (const auto& [id, previous] : std::exchange(waiting_, {}))
        analysis_.server().Respond(id, AllOf(previous));
    }
    Server& server = analysis_.server();
    const auto stale = std::erase_if(
        asked_, [&](const auto& asked) { return IsStale(asked.first, asked.second, changed); });
    if ((stale > 0 || IsListStale(changed)) &&
        server.ClientCan("workspace/diagnostics/refreshSupport")) {
      server.Ask("workspace/diagnostic/refresh", nullptr);
      is_listed_ = false;
    }
  }

 private:
  // What the client was told of a document, unless it was closed or the client has been asked since
  // to ask again.
  struct Asked {
    std::int64_t version = 0;
    std::string result_id;
  };

  bool Related() const { return ShowsRelated(analysis_.server()); }

  // A client asks by itself for the document that was edited, but not for the others.
  bool IsStale(const std::string& uri, const Asked& asked, const std::set<std::string>& changed) {
    const TextDocument* document = analysis_.server().documents().Find(uri);
    if (document == nullptr || document->version() != asked.version) return false;
    const OpenFile file = analysis_.FileOf(uri);
    if (!file || !changed.contains(file.path)) return false;
    DiagnosticsByUri found = DiagnosticsOf(analysis_, *file.workspace, file.path);
    return ResultId(ItemsOf(found[document->uri()], Related())) != asked.result_id;
  }

  // Does the client show a list of the whole workspace that would be another one now? Documents
  // that are open are its own matter.
  bool IsListStale(const std::set<std::string>& changed) {
    const bool lists = analysis_.settings().workspace_diagnostics;
    if (std::exchange(lists_, lists) != lists) return is_listed_;
    if (!is_listed_ || !lists || changed.empty()) return false;
    std::set<std::string> open;
    for (const Analysis::Open& document : analysis_.OpenDocuments()) open.insert(document.path);
    return std::any_of(changed.begin(), changed.end(),
                       [&](const std::string& path) { return !open.contains(path); });
  }

  Json AllOf(const std::map<std::string, std::string>& previous) {
    Json items = Json::array();
    const auto add = [&](const std::string& uri, const std::vector<Diagnostic>& found) {
      const auto known = previous.find(uri);
      if (found.empty() && known == previous.end()) return;
      Json report =
          ReportOf(ItemsOf(found, Related()), known == previous.end() ? "" : known->second);
      const TextDocument* document = analysis_.server().documents().Find(uri);
      report["uri"] = uri;
      report["version"] = document == nullptr ? Json(nullptr) : Json(document->version());
      items.push_back(std::move(report));
    };
    std::set<std::string> told;
    if (!analysis_.settings().workspace_diagnostics) {
      // What was listed goes; what is open stays.
      for (const auto& [uri, id] : previous) {
        if (analysis_.server().documents().Find(uri) == nullptr) add(uri, {});
      }
      return {{"items", std::move(items)}};
    }
    for (const auto& workspace : analysis_.workspaces()) {
      for (const auto& [path, file] : workspace->project().files()) {
        if (file.result.findings.empty() || !analysis_.IsHome(*workspace, path)) continue;
        for (const auto& [uri, found] : DiagnosticsOf(analysis_, *workspace, path)) {
          if (told.insert(uri).second) add(uri, found);
        }
      }
    }
    for (const auto& [uri, id] : previous) {
      if (!told.contains(uri)) add(uri, {});
    }
    return {{"items", std::move(items)}};
  }

  Analysis& analysis_;
  std::map<std::string, Asked> asked_;  // by URI
  std::vector<std::pair<Json, std::map<std::string, std::string>>> waiting_;
  bool lists_ = true;       // as the user has set it
  bool is_listed_ = false;  // since the client was last asked to ask again
};

}  // namespace

bool PullsDiagnostics(const Server& server) {
  const Json& capabilities = server.client_capabilities();
  const auto texts = capabilities.find("textDocument");
  return texts != capabilities.end() && texts->is_object() && texts->contains("diagnostic") &&
         (*texts)["diagnostic"].is_object();
}

void AddPullDiagnostics(Analysis& analysis) {
  auto puller = std::make_shared<Puller>(analysis);
  Server& server = analysis.server();
  server.OnInitialize([&server, &analysis] {
    if (!PullsDiagnostics(server)) return;
    server.capabilities()["diagnosticProvider"] = {
        {"identifier", "torchleak"},
        {"interFileDependencies", true},
        {"workspaceDiagnostics", analysis.settings().workspace_diagnostics}};
  });
  server.operations().OnRequest("textDocument/diagnostic",
                                [puller](Request& r) { return puller->Document(r); });
  server.operations().OnRequest("workspace/diagnostic",
                                [puller](Request& r) { return puller->Workspace(r); });
  analysis.OnChange([puller](const std::set<std::string>& paths) { puller->Changed(paths); });
}

}  // namespace torchleak::lsp
