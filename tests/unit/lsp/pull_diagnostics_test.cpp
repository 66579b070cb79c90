// textDocument/diagnostic and workspace/diagnostic.
#include <doctest/doctest.h>

#include "tests/unit/lsp/editor.h"

namespace torchleak::lsp {
namespace {

struct Puller : Editor {
  Puller() {
    tree.Write("a.py", kTraining);
    tree.Write("b.py", kTraining);
    tree.Write("sub/c.py", kHarmless);
  }
  Json Begin(const Json& options = nullptr, const Strings& folders = {""}) {
    return Start({{"textDocument", {{"diagnostic", {{"relatedInformation", true}}}}},
                  {"workspace", {{"diagnostics", {{"refreshSupport", true}}}}}},
                 options, folders);
  }
  Json Pull(const std::string& uri, const Json& previous = nullptr) {
    Json params = {{"textDocument", {{"uri", uri}}}};
    if (!previous.is_null()) params["previousResultId"] = previous;
    return Ask("textDocument/diagnostic", params)["result"];
  }
  // By URI.
  std::map<std::string, Json> PullAll(const Json& previous = Json::array()) {
    const Json result = Ask("workspace/diagnostic", {{"previousResultIds", previous}})["result"];
    std::map<std::string, Json> reports;
    for (const Json& report : result["items"]) {
      CHECK(reports.emplace(report["uri"], report).second);
    }
    return reports;
  }
  std::size_t Refreshes() { return Take("workspace/diagnostic/refresh").size(); }
};

TEST_CASE("one document, in full and unchanged") {
  Puller editor;
  const Json provider = editor.Begin()["diagnosticProvider"];
  CHECK(provider["interFileDependencies"] == true);
  CHECK(provider["workspaceDiagnostics"] == true);
  editor.Show("a.py", kTraining);
  const Json full = editor.Pull(editor.Uri("a.py"));
  CHECK(full["kind"] == "full");
  CHECK(Said(full["items"]) == editor.Expected("a.py"));
  const Json same = editor.Pull(editor.Uri("a.py"), full["resultId"]);
  CHECK(same == Json{{"kind", "unchanged"}, {"resultId", full["resultId"]}});
  editor.Type("a.py", 2, std::string("\n") + kTraining);
  const Json moved = editor.Pull(editor.Uri("a.py"), full["resultId"]);
  CHECK(moved["kind"] == "full");
  CHECK(moved["resultId"] != full["resultId"]);
  editor.Type("a.py", 3, kHarmless);
  CHECK(editor.Pull(editor.Uri("a.py"), moved["resultId"])["items"].empty());
  editor.Type("a.py", 4, kTraining);
  CHECK(editor.Pull(editor.Uri("a.py"), full["resultId"])["kind"] == "unchanged");
  CHECK(editor.Published().empty());
  CHECK(editor.Pull("file:///not/open.py")["items"].empty());
  CHECK(editor.ErrorOf("textDocument/diagnostic") == error_code::kInvalidParams);
}

TEST_CASE("clients that do not pull are not told that they could") {
  Editor editor;
  CHECK_FALSE(editor.Start().contains("diagnosticProvider"));
}

TEST_CASE("what was typed just before is in the answer") {
  Puller editor;
  editor.Begin();
  editor.Show("a.py", kHarmless);
  editor.Post(Message(nullptr, "textDocument/didChange",
                      {{"textDocument", {{"uri", editor.Uri("a.py")}, {"version", 2}}},
                       {"contentChanges", {{{"text", kTraining}}}}}));
  CHECK(editor.Pull(editor.Uri("a.py"))["items"].size() == 2);
}

TEST_CASE("all files: those that nobody opened, too") {
  Puller editor;
  editor.Begin();
  std::map<std::string, Json> reports = editor.PullAll();
  CHECK(reports.size() == 2);
  const std::string a = editor.Uri("a.py"), b = editor.Uri("b.py");
  CHECK(Said(reports[a]["items"]) == editor.Expected("a.py"));
  CHECK(Said(reports[b]["items"]) == editor.Expected("b.py"));
  CHECK(reports[a]["version"].is_null());
  editor.Show("a.py", std::string(kTraining) + "\n");
  const Json previous = {{{"uri", a}, {"value", reports[a]["resultId"]}},
                         {{"uri", b}, {"value", reports[b]["resultId"]}},
                         {{"uri", editor.Uri("gone.py")}, {"value", "x"}}};
  reports = editor.PullAll(previous);
  CHECK(reports.size() == 3);
  CHECK(reports[a]["kind"] == "unchanged");
  CHECK(reports[a]["version"] == 1);
  CHECK(reports[b]["kind"] == "unchanged");
  CHECK(reports[editor.Uri("gone.py")]["items"] == Json::array());
  editor.Type("a.py", 2, kHarmless);
  editor.tree.Remove("b.py");
  editor.Save("a.py");
  reports = editor.PullAll(previous);
  CHECK(reports[a]["items"] == Json::array());
  CHECK(reports[b]["items"] == Json::array());
  CHECK(editor.PullAll().empty());
}

TEST_CASE("the list of the whole workspace goes and comes with its setting") {
  Puller editor;
  editor.Begin();
  std::map<std::string, Json> reports = editor.PullAll();
  CHECK(reports.size() == 2);
  const std::string a = editor.Uri("a.py");
  const Json previous = {{{"uri", a}, {"value", reports[a]["resultId"]}}};
  editor.Refreshes();
  editor.Tell("workspace/didChangeConfiguration",
              {{"settings", {{"workspaceDiagnostics", false}}}});
  CHECK(editor.Refreshes() == 1);
  reports = editor.PullAll(previous);
  CHECK(reports.size() == 1);
  CHECK(reports[a]["items"] == Json::array());
  editor.Tell("workspace/didChangeConfiguration", {{"settings", Json::object()}});
  CHECK(editor.Refreshes() == 1);
  CHECK(editor.PullAll().size() == 2);
}

TEST_CASE("the answer waits until all files are known") {
  Puller editor;
  editor.Begin();
  editor.Show("sub/c.py", kHarmless);
  // In one go with the opening, when the disk is still being searched.
  editor.Tell(
      "workspace/didChangeWorkspaceFolders",
      {{"event",
        {{"added", Json::array()}, {"removed", {{{"uri", editor.Uri("")}, {"name", "w"}}}}}}});
  editor.Post(Message(
      nullptr, "workspace/didChangeWorkspaceFolders",
      {{"event",
        {{"removed", Json::array()}, {"added", {{{"uri", editor.Uri("")}, {"name", "w"}}}}}}}));
  CHECK(editor.PullAll().size() == 2);
}

TEST_CASE("it is asked at the very begin") {
  Puller editor;
  const Json params = {{"capabilities", {{"textDocument", {{"diagnostic", Json::object()}}}}},
                       {"workspaceFolders", {{{"uri", editor.Uri("")}, {"name", "w"}}}}};
  editor.Post(Message(900, "initialize", params));
  editor.Post(Message(nullptr, "initialized", Json::object()));
  editor.Post(Message(901, "workspace/diagnostic", {{"previousResultIds", Json::array()}}));
  editor.Post(Message(902, "workspace/diagnostic", {{"previousResultIds", Json::array()}}));
  editor.Post(Message(nullptr, "$/cancelRequest", {{"id", 902}}));
  std::map<int, Json> by_id;
  for (const Json& response : editor.Settle())
    CHECK(by_id.emplace(response["id"], response).second);
  CHECK(by_id.size() == 3);
  CHECK(by_id[901]["result"]["items"].size() == 2);
  CHECK(by_id[902]["error"]["code"] == error_code::kRequestCancelled);
}

TEST_CASE("workspaceDiagnostics = false") {
  Puller editor;
  CHECK(editor.Begin({{"workspaceDiagnostics",
                       false}})["diagnosticProvider"]["workspaceDiagnostics"] == false);
  CHECK(editor.PullAll().empty());
}

TEST_CASE("parameters of workspace/diagnostic") {
  Puller editor;
  editor.Begin();
  CHECK(editor.Ask("workspace/diagnostic")["error"]["code"] == error_code::kInvalidParams);
  CHECK(editor.ErrorOf("workspace/diagnostic", {{"previousResultIds", 5}}) ==
        error_code::kInvalidParams);
  CHECK(editor.ErrorOf("workspace/diagnostic", {{"previousResultIds", {{{"uri", 1}}}}}) ==
        error_code::kInvalidParams);
  CHECK(editor.ErrorOf("workspace/diagnostic", Json::object()) == 0);
}

constexpr const char* kGives =
    "import torch\ndef loss_of(model, batch):\n    loss = model(batch).mean()\n"
    "    loss.backward()\n    return loss";
constexpr const char* kTakes =
    "import torch\nfrom helper import loss_of\ndef train(model, loader):\n    kept = []\n"
    "    for batch in loader:\n        kept.append(loss_of(model, batch))\n    return kept\n";

TEST_CASE(
    "the client is asked to ask again only when something that it does not know has changed") {
  Puller editor;
  const std::string keeps = std::string(kGives) + "\n", plain = std::string(kGives) + ".item()\n";
  editor.tree.Write("helper.py", keeps);
  editor.tree.Write("user.py", kTakes);
  editor.Begin();
  editor.Show("helper.py", keeps);
  editor.Pull(editor.Uri("helper.py"));
  editor.Show("user.py", kTakes);
  CHECK(editor.Pull(editor.Uri("user.py"))["items"].size() == 1);
  CHECK(editor.Refreshes() == 0);
  // An edit of its own: it asks by itself.
  editor.Type("user.py", 2, std::string(kTakes) + "\n");
  editor.Pull(editor.Uri("user.py"));
  CHECK(editor.Refreshes() == 0);
  editor.Save("user.py");
  CHECK(editor.Refreshes() == 0);
  // The other document is not asked for.
  editor.Type("helper.py", 2, plain);
  CHECK(editor.Refreshes() == 1);
  CHECK(editor.Pull(editor.Uri("user.py"))["items"].empty());
  editor.Type("helper.py", 3, plain + "\n");
  CHECK(editor.Refreshes() == 0);
  editor.Close("helper.py");
  CHECK(editor.Refreshes() == 1);
  // It was asked and has not done so yet.
  editor.Show("helper.py", plain);
  CHECK(editor.Refreshes() == 0);
  editor.Close("helper.py");
  CHECK(editor.Pull(editor.Uri("user.py"))["items"].size() == 1);
  editor.Tell("workspace/didChangeConfiguration", {{"settings", {{"ignore", {"TLK101"}}}}});
  CHECK(editor.Refreshes() == 1);
}

TEST_CASE("nothing has changed when all files are known") {
  Puller editor;
  const Json open = {{"textDocument",
                      {{"uri", editor.Uri("a.py")},
                       {"languageId", "python"},
                       {"version", 1},
                       {"text", kTraining}}}};
  const Json params = {{"capabilities",
                        {{"textDocument", {{"diagnostic", Json::object()}}},
                         {"workspace", {{"diagnostics", {{"refreshSupport", true}}}}}}},
                       {"workspaceFolders", {{{"uri", editor.Uri("")}, {"name", "w"}}}}};
  editor.Post(Message(900, "initialize", params));
  editor.Post(Message(nullptr, "initialized", Json::object()));
  editor.Post(Message(nullptr, "textDocument/didOpen", open));
  editor.Post(
      Message(901, "textDocument/diagnostic", {{"textDocument", {{"uri", editor.Uri("a.py")}}}}));
  CHECK(editor.Settle().size() == 2);
  CHECK(editor.Refreshes() == 0);
}

}  // namespace
}  // namespace torchleak::lsp
