// The folders that are open in the editor.
#include "lsp/operations/operations.h"
#include "lsp/uri.h"

namespace torchleak::lsp {
namespace {

std::vector<std::string> FirstFolders(const Json& params) {
  std::vector<std::string> uris;
  const auto folders = params.find("workspaceFolders");
  if (folders != params.end() && folders->is_array()) {
    for (const Json& folder : *folders) {
      if (folder.is_object() && folder.contains("uri") && folder["uri"].is_string())
        uris.push_back(folder["uri"].get<std::string>());
    }
  }
  if (!uris.empty()) return uris;
  // Older clients.
  const auto root = params.find("rootUri");
  if (root != params.end() && root->is_string()) return {root->get<std::string>()};
  const auto path = params.find("rootPath");
  if (path != params.end() && path->is_string() && path->get<std::string>().starts_with('/'))
    return {UriOf(path->get<std::string>())};
  return {};
}

std::optional<text::Error> DidChange(Analysis& analysis, const Json& params) {
  const Fields fields(params, "params");
  const Fields event = fields.At("event");
  std::vector<std::string> added, removed;
  for (auto [key, out] : {std::pair("added", &added), std::pair("removed", &removed)}) {
    const std::size_t count = event.Array(key).size();
    for (std::size_t i = 0; i < count; ++i) out->push_back(event.Element(key, i).String("uri"));
  }
  if (auto error = fields.error()) return error;
  for (const std::string& uri : removed) analysis.RemoveFolder(uri);
  for (const std::string& uri : added) analysis.AddFolder(uri);
  return std::nullopt;
}

}  // namespace

void AddWorkspaceFolders(Analysis& analysis) {
  Server& server = analysis.server();
  server.capabilities()["workspace"]["workspaceFolders"] = {{"supported", true},
                                                            {"changeNotifications", true}};
  server.OnInitialized([&analysis, &server] {
    for (const std::string& uri : FirstFolders(server.initialize_params())) analysis.AddFolder(uri);
  });
  server.operations().OnNotification(
      "workspace/didChangeWorkspaceFolders",
      [&analysis](Notification& notification) { return DidChange(analysis, notification.params); });
}

}  // namespace torchleak::lsp
