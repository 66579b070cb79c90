// Folders of the editor, files on disk, and what files mean to each other.
#include <doctest/doctest.h>

#include "tests/unit/lsp/editor.h"

namespace torchleak::lsp {
namespace {

const Json kWatches = {{"workspace", {{"didChangeWatchedFiles", {{"dynamicRegistration", true}}}}}};

constexpr const char* kUser =
    "import torch\nfrom helper import record\ndef train(model, loader):\n"
    "    for batch in loader:\n        loss = model(batch).mean(); loss.backward()\n"
    "        record(loss)\n";

std::size_t Found(Editor& editor, std::string_view path) { return editor.At(path).size(); }

TEST_CASE("an edit of a helper changes what is found in another open document") {
  Editor editor;
  editor.tree.Write("helper.py", Recorder(false));
  editor.tree.Write("user.py", kUser);
  editor.Start();
  editor.Show("user.py", kUser);
  CHECK(Found(editor, "user.py") + Found(editor, "helper.py") == 0);
  editor.Show("helper.py", Recorder(false));
  editor.Published();
  editor.Type("helper.py", 2, Recorder(true));
  const Strings published = editor.Published();
  CHECK(std::find(published.begin(), published.end(), editor.Uri("helper.py")) != published.end());
  const auto expected = [&](const char* path) {
    return editor.Expected(path, {{"helper.py", Recorder(true)}});
  };
  CHECK(Said(editor.At("user.py")) == expected("user.py"));
  CHECK(Said(editor.At("helper.py")) == expected("helper.py"));
  CHECK(Found(editor, "user.py") + Found(editor, "helper.py") > 0);
  // Closed without saving: the disk counts.
  editor.Close("helper.py");
  CHECK(Found(editor, "user.py") + Found(editor, "helper.py") == 0);
  // Saved by somebody else.
  editor.tree.Write("helper.py", Recorder(true));
  editor.Save("user.py");
  CHECK(Said(editor.At("user.py")) == editor.Expected("user.py"));
}

constexpr const char* kGives =
    "import torch\ndef loss_of(model, batch):\n    loss = model(batch).mean()\n"
    "    loss.backward()\n    return loss";
constexpr const char* kTakes =
    "import torch\nfrom helper import loss_of\ndef train(model, loader):\n    kept = []\n"
    "    for batch in loader:\n        kept.append(loss_of(model, batch))\n    return kept\n";

TEST_CASE("files that come, change and go on disk") {
  Editor editor;
  editor.tree.Write("user.py", kTakes);
  editor.Start(kWatches);
  editor.Show("user.py", kTakes);
  CHECK(Found(editor, "user.py") == 0);
  const std::string keeps = std::string(kGives) + "\n", plain = std::string(kGives) + ".item()\n";
  const auto look = [&](std::size_t count) {
    CHECK(Found(editor, "user.py") == count);
    CHECK(Said(editor.At("user.py")) == editor.Expected("user.py"));
  };
  editor.tree.Write("helper.py", keeps);
  editor.Watched("helper.py", 1);
  look(1);
  editor.tree.Write("helper.py", plain);
  editor.Watched("helper.py", 2);
  look(0);
  editor.tree.Write("helper.py", keeps);
  editor.Watched("helper.py", 2);
  look(1);
  std::filesystem::rename(editor.tree.Path("helper.py"), editor.tree.Path("other.py"));
  editor.Tell("workspace/didChangeWatchedFiles",
              {{"changes",
                {{{"uri", editor.Uri("helper.py")}, {"type", 3}},
                 {{"uri", editor.Uri("other.py")}, {"type", 1}}}}});
  look(0);
  std::filesystem::rename(editor.tree.Path("other.py"), editor.tree.Path("helper.py"));
  editor.Watched("other.py", 3);
  look(1);
  editor.tree.Remove("helper.py");
  editor.Watched("helper.py", 3);
  look(0);
  // The client has what nobody wrote.
  editor.Show("helper.py", keeps);
  CHECK(Found(editor, "user.py") == 1);
  editor.Close("helper.py");
  look(0);
  CHECK(editor.Complaints() == "");
}

TEST_CASE("a file that is deleted while it is open is still what the client has") {
  for (const bool watches : {false, true}) {
    Editor editor;
    editor.tree.Write("a.py", kTraining);
    editor.tree.Write("b.py", kHarmless);
    editor.Start(watches ? kWatches : Json::object());
    editor.Show("a.py", kTraining);
    editor.Show("b.py", kHarmless);
    editor.tree.Remove("a.py");
    watches ? editor.Watched("a.py", 3) : editor.Save("b.py");
    CHECK(Found(editor, "a.py") == 2);
    editor.Type("a.py", 2, std::string("\n") + kTraining);
    CHECK(Found(editor, "a.py") == 2);
    CHECK(ShownRange(editor.At("a.py")[0]["range"]).starts_with("6:"));
    CHECK(editor.Actions(editor.Uri("a.py"), editor.At("a.py")[0]["range"]).size() == 3);
    editor.Close("a.py");
    CHECK(Found(editor, "a.py") == 0);
    editor.Save("b.py");
    CHECK(Found(editor, "a.py") == 0);
  }
}

TEST_CASE("the whole folder is removed while its files are open") {
  Editor editor;
  editor.tree.Write("w/a.py", kTraining);
  editor.Start(Json::object(), nullptr, {"w"});
  editor.Show("w/a.py", kTraining);
  std::filesystem::remove_all(editor.tree.Path("w"));
  editor.Save("w/a.py");
  editor.Type("w/a.py", 2, std::string("\n") + kTraining);
  CHECK(Found(editor, "w/a.py") == 2);
}

TEST_CASE("a folder that is not there, or no file") {
  Editor editor;
  editor.Start(Json::object(), nullptr, {"no/such"});
  editor.Show("no/such/a.py", kTraining);
  CHECK(Found(editor, "no/such/a.py") == 2);
  editor.Tell("workspace/didChangeWorkspaceFolders",
              {{"event",
                {{"added", {{{"uri", "vscode-remote://x/y"}, {"name", "x"}}}},
                 {"removed", {{{"uri", "file:///never/added"}, {"name", "y"}}}}}}});
  editor.Type("no/such/a.py", 2, kHarmless);
  CHECK(Found(editor, "no/such/a.py") == 0);
  editor.Complaints();
  editor.Tell("workspace/didChangeWorkspaceFolders", {{"event", 5}});
  CHECK(editor.Complaints() ==
        "workspace/didChangeWorkspaceFolders: params.event: expected an object\n");
}

void Folders(Editor& editor, const Strings& added, const Strings& removed) {
  Json event = {{"added", Json::array()}, {"removed", Json::array()}};
  for (const std::string& f : added)
    event["added"].push_back({{"uri", editor.Uri(f)}, {"name", f}});
  for (const std::string& f : removed)
    event["removed"].push_back({{"uri", editor.Uri(f)}, {"name", f}});
  editor.Tell("workspace/didChangeWorkspaceFolders", {{"event", event}});
}

TEST_CASE("folders are added and removed; their files keep their findings") {
  Editor editor;
  for (const char* folder : {"one", "two"}) {
    editor.tree.Write(std::string(folder) + "/helper.py", std::string(kGives) + "\n");
    editor.tree.Write(std::string(folder) + "/user.py", kHarmless);  // the client has edited it
  }
  editor.Start(Json::object(), nullptr, {"one"});
  editor.Show("one/user.py", kTakes);
  editor.Show("two/user.py", kTakes);
  const auto look = [&] {
    CHECK(Found(editor, "one/user.py") == 1);
    CHECK(Found(editor, "two/user.py") == 1);
  };
  look();
  Folders(editor, {"two"}, {});
  look();
  Folders(editor, {}, {"one"});
  look();
  editor.Type("one/user.py", 2, std::string("\n") + kTakes);
  editor.Type("two/user.py", 2, std::string("\n") + kTakes);
  look();
  Folders(editor, {}, {"two"});
  look();
  Folders(editor, {"one", "two", ""}, {});
  look();
  editor.Close("one/user.py");
  CHECK(Found(editor, "one/user.py") == 0);
  CHECK(Found(editor, "two/user.py") == 1);
  CHECK(editor.analysis.workspaces().size() == 3);
  Folders(editor, {}, {"one", "two", ""});
  CHECK(editor.analysis.workspaces().size() == 1);
}

TEST_CASE("of nested folders the inner one has a file, with its settings") {
  Editor editor;
  editor.tree.Write("torchleak.toml", "ignore = [\"TLK101\"]\n");
  editor.tree.Write("in/a.py", kHarmless);  // the client has edited it
  editor.tree.Write("in/torchleak.toml", "");
  editor.Start(Json::object(), nullptr, {"", "in"});
  editor.Show("in/a.py", kTraining);
  editor.Show("a.py", kTraining);
  CHECK(Found(editor, "in/a.py") == 2);
  CHECK(Found(editor, "a.py") == 0);
  CHECK(editor.analysis.FileOf(editor.Uri("in/a.py")).workspace->root() == editor.tree.Path("in"));
  Folders(editor, {}, {"in"});
  CHECK(editor.analysis.FileOf(editor.Uri("in/a.py")).workspace->root() == editor.tree.root());
  CHECK(Found(editor, "in/a.py") == 2);
  CHECK(editor.Actions(editor.Uri("in/a.py"), editor.At("in/a.py")[0]["range"]).size() == 3);
}

TEST_CASE("a folder that comes when one of its files is open already is known as a whole") {
  Editor editor;
  editor.tree.Write("a.py", kTraining);
  editor.tree.Write("b.py", kTraining);
  editor.Start(Json::object(), nullptr, {});
  editor.Show("a.py", kTraining);
  CHECK(Found(editor, "a.py") == 2);
  Folders(editor, {""}, {});
  REQUIRE(editor.analysis.workspaces().size() == 1);
  CHECK(editor.analysis.workspaces()[0]->IsWhole());
  CHECK(Found(editor, "a.py") == 2);
}

TEST_CASE("what a file that nobody opened says of an open one is known in the end") {
  Editor editor;
  const std::string policy =
      "from torch import nn\nfrom torch.distributions import Categorical\n"
      "class Policy(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
      "        self.body = nn.Linear(4, 2)\n        self.kept = []\n"
      "    def forward(self, state):\n"
      "        distribution = Categorical(logits=self.body(state))\n"
      "        action = distribution.sample()\n"
      "        self.kept.append(distribution.log_prob(action))\n        return action\n";
  editor.tree.Write("policies.py", policy);
  editor.tree.Write("train.py",
                    "import torch\nfrom policies import Policy\n"
                    "def episode(env, policy: Policy, optimizer):\n"
                    "    for state in env:\n        policy(state)\n"
                    "    loss = -torch.stack(policy.kept).sum()\n    optimizer.zero_grad()\n"
                    "    loss.backward()\n    optimizer.step()\n    del policy.kept[:]\n");
  // In one go, so that it is shown before the disk is searched.
  editor.Post(
      Message(900, "initialize", {{"capabilities", Json::object()}, {"rootUri", editor.Uri("")}}));
  editor.Post(Message(nullptr, "initialized", Json::object()));
  editor.Post(Message(nullptr, "textDocument/didOpen",
                      {{"textDocument",
                        {{"uri", editor.Uri("policies.py")},
                         {"languageId", "python"},
                         {"version", 1},
                         {"text", policy}}}}));
  editor.Settle();
  editor.related = false;
  CHECK(Said(editor.At("policies.py")) == editor.Expected("policies.py"));
  CHECK(editor.At("policies.py").empty());
  editor.tree.Remove("train.py");
  editor.Save("policies.py");
  CHECK(Said(editor.At("policies.py")) == editor.Expected("policies.py"));
  CHECK(editor.At("policies.py").size() == 1);
}

TEST_CASE("rootUri and rootPath of older clients") {
  for (const bool is_path : {false, true}) {
    Editor editor;
    editor.tree.Write("a.py", kTraining);
    Json params = {{"capabilities", Json::object()}, {"rootUri", nullptr}};
    if (is_path) {
      params["rootPath"] = editor.tree.root();
    } else {
      params["rootUri"] = editor.Uri("");
    }
    editor.Ask("initialize", params);
    editor.Tell("initialized", Json::object());
    REQUIRE(editor.analysis.workspaces().size() == 1);
    CHECK(editor.analysis.workspaces()[0]->root() == editor.tree.root());
  }
}

}  // namespace
}  // namespace torchleak::lsp
