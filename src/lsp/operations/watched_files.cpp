// Files that change on disk, told by clients that can watch. For the others every save is taken for
// a reason to look (Analysis).
#include <algorithm>
#include <array>
#include <string_view>

#include "lsp/operations/operations.h"
#include "lsp/uri.h"

namespace torchleak::lsp {
namespace {

constexpr std::array<std::string_view, 6> kWatched = {
    "**/*.{py,pyi,ipynb}", "**/*.toml",   "**/.gitignore",
    "**/.ignore",          "**/setup.py", "**/.git/info/exclude"};
constexpr std::int64_t kChanged = 2;  // FileChangeType

// A file that is open was saved: its text is known.
bool IsOwnSave(const Analysis& analysis, const std::string& uri, std::int64_t type) {
  const OpenFile file = analysis.FileOf(uri);
  return type == kChanged && file.workspace != nullptr;
}

std::optional<text::Error> DidChange(Analysis& analysis, const Json& params) {
  const Fields fields(params, "params");
  const std::size_t count = fields.Array("changes").size();
  bool matters = false;
  for (std::size_t i = 0; i < count; ++i) {
    const Fields change = fields.Element("changes", i);
    const std::string uri = change.String("uri");
    matters |= !IsOwnSave(analysis, uri, change.Integer("type"));
  }
  if (auto error = fields.error()) return error;
  if (matters) analysis.DiskChanged();
  return std::nullopt;
}

}  // namespace

void AddWatchedFiles(Analysis& analysis) {
  Server& server = analysis.server();
  server.OnInitialized([&server] {
    if (!server.ClientCan("workspace/didChangeWatchedFiles/dynamicRegistration")) return;
    Json watchers = Json::array();
    for (const std::string_view glob : kWatched) watchers.push_back({{"globPattern", glob}});
    server.Ask("client/registerCapability",
               {{"registrations",
                 {{{"id", "torchleak-files"},
                   {"method", "workspace/didChangeWatchedFiles"},
                   {"registerOptions", {{"watchers", std::move(watchers)}}}}}}});
  });
  server.operations().OnNotification(
      "workspace/didChangeWatchedFiles",
      [&analysis](Notification& notification) { return DidChange(analysis, notification.params); });
}

}  // namespace torchleak::lsp
