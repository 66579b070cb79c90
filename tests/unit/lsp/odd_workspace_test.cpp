// Workspaces in which something is out of the ordinary.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include "tests/unit/lsp/editor.h"

namespace torchleak::lsp {
namespace {

const Json kPulls = {{"textDocument", {{"diagnostic", Json::object()}}}};

// By URI.
std::map<std::string, Json> PullAll(Editor& editor) {
  const Json result =
      editor.Ask("workspace/diagnostic", {{"previousResultIds", Json::array()}})["result"];
  std::map<std::string, Json> reports;
  for (const Json& report : result["items"])
    CHECK(reports.emplace(report["uri"], report["items"]).second);
  return reports;
}

constexpr const char* kUser =
    "import torch\nfrom sub.helper import record\ndef train(model, loader):\n"
    "    for batch in loader:\n        loss = model(batch).mean(); loss.backward()\n"
    "        record(loss)\n";

TEST_CASE("folders inside each other: the outer one knows what is typed in the inner one") {
  Editor editor;
  editor.tree.Write("user.py", kUser);
  editor.tree.Write("sub/__init__.py");
  editor.tree.Write("sub/helper.py", Recorder(false));
  editor.Start(Json::object(), nullptr, {"", "sub"});
  editor.Show("user.py", kUser);
  editor.Show("sub/helper.py", Recorder(false));
  CHECK(editor.At("user.py").empty());
  const std::string moved = "\n\n" + Recorder(true);
  editor.Type("sub/helper.py", 2, moved);
  CHECK(Said(editor.At("user.py")) == editor.Expected("user.py", {{"sub/helper.py", moved}}));
  CHECK(editor.At("user.py").size() == 1);
  editor.Close("sub/helper.py");
  CHECK(editor.At("user.py").empty());
}

TEST_CASE("folders inside each other: a file is listed once, as the inner one sees it") {
  Editor editor;
  editor.tree.Write("sub/torchleak.toml", "ignore = [\"TLK101\"]\n");
  editor.tree.Write("sub/a.py", kTraining);
  editor.tree.Write("b.py", kTraining);
  editor.Start(kPulls, nullptr, {"", "sub"});
  editor.Show("sub/a.py", std::string("\n\n\n") + kHarmless);
  const auto reports = PullAll(editor);
  CHECK(reports.size() == 1);
  CHECK(reports.contains(editor.Uri("b.py")));
}

TEST_CASE("a list of the workspace has what was typed just before") {
  Editor editor;
  editor.tree.Write("a.py", kTraining);
  editor.Start(kPulls);
  editor.Show("a.py", kTraining);
  CHECK(PullAll(editor).size() == 1);
  editor.Post(Message(nullptr, "textDocument/didChange",
                      {{"textDocument", {{"uri", editor.Uri("a.py")}, {"version", 2}}},
                       {"contentChanges", {{{"text", kHarmless}}}}}));
  CHECK(PullAll(editor).empty());
}

TEST_CASE("a configuration that breaks in one folder hides no other folder") {
  Editor editor;
  for (const char* folder : {"a", "b", "c", "d"})
    editor.tree.Write(std::string(folder) + "/t.py", kTraining);
  editor.Start(kPulls);
  CHECK(PullAll(editor).size() == 4);
  editor.tree.Write("b/torchleak.toml", "select = [\n");
  editor.Watched("b/torchleak.toml", 1);
  CHECK(PullAll(editor).size() == 4);
  CHECK(editor.Complaints().find("b/torchleak.toml") != std::string::npos);
  editor.tree.Write("b/torchleak.toml", "ignore = [\"TLK101\"]\n");
  editor.Watched("b/torchleak.toml", 2);
  CHECK(PullAll(editor).size() == 3);
}

TEST_CASE("single-file comes and goes") {
  Editor editor;
  editor.tree.Write("a.py", kTraining);
  editor.Start(kPulls);
  CHECK(PullAll(editor).size() == 1);
  editor.tree.Write("torchleak.toml", "single-file = true\n");
  editor.Watched("torchleak.toml", 1);
  CHECK(PullAll(editor).size() == 1);
  editor.tree.Remove("torchleak.toml");
  editor.Watched("torchleak.toml", 3);
  CHECK(PullAll(editor).size() == 1);
}

TEST_CASE("an excluded folder stays so with a configuration of its own") {
  Editor editor;
  editor.tree.Write("torchleak.toml", "exclude = [\"vendor/\"]\n");
  editor.tree.Write("vendor/lib/torchleak.toml", "select = [\"ALL\"]\n");
  editor.tree.Write("vendor/lib/a.py", kTraining);
  editor.Start();
  editor.Show("vendor/lib/a.py", kTraining);
  CHECK(editor.At("vendor/lib/a.py").empty());
}

TEST_CASE("pipes where files are expected are not waited for") {
  Editor editor;
  editor.tree.Write("a.py", kTraining);
  REQUIRE(mkfifo(editor.tree.Path(".gitignore").c_str(), 0600) == 0);
  editor.Start();
  editor.Show("a.py", kTraining);
  CHECK_FALSE(editor.At("a.py").empty());
  editor.tree.Remove("a.py");
  REQUIRE(mkfifo(editor.tree.Path("a.py").c_str(), 0600) == 0);
  editor.Close("a.py");
  CHECK(editor.At("a.py").empty());
}

TEST_CASE("the other side of a diff is no file of the project") {
  Editor editor;
  editor.tree.Write("user.py", kUser);
  editor.tree.Write("sub/helper.py", Recorder(true));
  editor.Start();
  editor.Show("user.py", kUser);
  const Strings before = Said(editor.At("user.py"));
  CHECK(before.size() == 1);
  editor.Open("git:/x/other.py?HEAD", "from sub.helper import kept\nimport torch\nkept.clear()\n");
  editor.Type("user.py", 2, std::string(kUser) + "\n");
  CHECK(Said(editor.At("user.py")) == before);
}

}  // namespace
}  // namespace torchleak::lsp
