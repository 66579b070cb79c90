// The user's settings in the three ways in which clients tell them, and the files of configuration.
#include <doctest/doctest.h>

#include "tests/unit/lsp/editor.h"

namespace torchleak::lsp {
namespace {

const Json kIgnored = {{"ignore", {"TLK101"}}};
const Json kAsks = {{"workspace", {{"configuration", true}}}};
const Json kWatches = {{"workspace", {{"didChangeWatchedFiles", {{"dynamicRegistration", true}}}}}};

std::size_t Found(Editor& editor) { return editor.At("a.py").size(); }

TEST_CASE("initializationOptions, with and without \"settings\" and the section") {
  for (const Json& options : {Json{{"settings", kIgnored}}, kIgnored, Json{{"torchleak", kIgnored}},
                              Json{{"settings", {{"torchleak", kIgnored}}}}}) {
    CAPTURE(options.dump());
    Editor editor;
    editor.Start(Json::object(), options);
    editor.Show("a.py", std::string(kTraining) + "x = 1  # noqa: TLK102\n");
    CHECK(editor.Complaints() == "");
    CHECK(Found(editor) == 1);
  }
}

TEST_CASE("workspace/didChangeConfiguration") {
  Editor editor;
  editor.Start();
  editor.Show("a.py", kTraining);
  CHECK(Found(editor) == 2);
  const auto tell = [&](const Json& params) {
    editor.Tell("workspace/didChangeConfiguration", params);
    return Found(editor);
  };
  CHECK(tell({{"settings", {{"torchleak", kIgnored}}}}) == 0);
  CHECK(tell({{"settings", nullptr}}) == 0);
  CHECK(tell(nullptr) == 0);
  CHECK(tell({{"settings", {{"torchleak", Json::object()}}}}) == 2);
  CHECK(tell({{"settings", {{"select", {"TLK102"}}}}}) == 0);
  CHECK(tell({{"settings", {{"select", {"accumulated-tensor"}}}}}) == 2);
  CHECK(tell({{"settings", {{"minConfidence", "high"}, {"select", nullptr}}}}) <= 2);
  CHECK(editor.Complaints() == "");
}

TEST_CASE("workspace/configuration is asked for at first and after each change") {
  Editor editor;
  editor.Start(kAsks);
  editor.Show("a.py", kTraining);
  CHECK(Found(editor) == 2);
  editor.Answer("workspace/configuration", Json::array({kIgnored}));
  CHECK(Found(editor) == 0);
  for (const Json& none :
       {Json::array({nullptr}), Json(nullptr), Json::array(), Json::array({5}), Json(5)}) {
    editor.Tell("workspace/didChangeConfiguration", {{"settings", nullptr}});
    editor.Answer("workspace/configuration", none);
    CHECK(Found(editor) == 0);
  }
  editor.Tell("workspace/didChangeConfiguration", Json::object());
  editor.Answer("workspace/configuration", Json::array({Json::object()}));
  CHECK(Found(editor) == 2);
}

TEST_CASE("settings that are wrong are named, and the others hold") {
  Editor editor;
  editor.Start(Json::object(), kIgnored);
  editor.Show("a.py", kTraining);
  const auto tell = [&](const Json& settings) {
    editor.Tell("workspace/didChangeConfiguration", {{"settings", settings}});
    return editor.Complaints();
  };
  CHECK(tell({{"ignore", {"TLK101"}}, {"unsafeFixes", "no"}}) ==
        "setting torchleak.unsafeFixes: expected true or false\n");
  CHECK(Found(editor) == 0);
  CHECK(tell({{"ignore", {"TLK101"}}, {"debounce", -1}}).find("torchleak.debounce") !=
        std::string::npos);
  CHECK(tell({{"ignore", {"TLK101"}}, {"debounce", 1e300}}).find("torchleak.debounce") !=
        std::string::npos);
  CHECK(tell({{"ignore", {"TLK101"}}, {"logLevel", "loud"}}).find("torchleak.logLevel") !=
        std::string::npos);
  CHECK(tell({{"ignore", {"TLK101", 5}}, {"configuration", 5}}) ==
        "setting torchleak.configuration: expected a string\n"
        "setting torchleak.ignore: expected a list of strings\n");
}

TEST_CASE("what names no rule is left out, and the others hold; without the file the old ones do") {
  Editor editor;
  editor.Start(Json::object(), kIgnored);
  editor.Show("a.py", kTraining);
  CHECK(Found(editor) == 0);
  int version = 1;
  for (const Json& wrong : {Json{{"select", {"TLK999"}}, {"ignore", {"TLK101"}}},
                            Json{{"minConfidence", "certain"}, {"ignore", {"TLK101"}}},
                            Json{{"select", {"TLK101"}}, {"ignore", {"TLK101"}}},
                            Json{{"configuration", "no/such.toml"}}}) {
    CAPTURE(wrong.dump());
    editor.Tell("workspace/didChangeConfiguration", {{"settings", wrong}});
    CHECK(editor.Take("window/showMessage").size() == 1);  // not only in the log
    CHECK_FALSE(editor.Complaints().empty());
    CHECK(Found(editor) == 0);
    editor.Type("a.py", ++version, kTraining);
    CHECK(Found(editor) == 0);
  }
  editor.Tell("workspace/didChangeConfiguration", {{"settings", Json::object()}});
  CHECK(Found(editor) == 2);
  CHECK(editor.Complaints() == "");
}

TEST_CASE("at the start, too: there is a message, and files are looked at as without settings") {
  Editor editor;
  editor.Start(Json::object(), {{"select", {"TLK999"}}});
  editor.Show("a.py", kTraining);
  CHECK(editor.Complaints().find("TLK999") != std::string::npos);
  CHECK(Found(editor) == 2);
}

TEST_CASE("`configuration` names one file for all, relative to the folder") {
  Editor editor;
  editor.tree.Write("conf/strict.toml", "severity = { TLK101 = \"error\" }\n");
  editor.tree.Write("torchleak.toml", "ignore = [\"TLK101\"]\n");
  editor.Start(Json::object(), {{"configuration", "conf/strict.toml"}});
  editor.Show("a.py", kTraining);
  REQUIRE(Found(editor) == 2);
  CHECK(editor.At("a.py")[0]["severity"] == 1);
}

// A torchleak.toml that comes, changes, breaks, is mended and goes.
void LiveWithConfiguration(Editor& editor, const std::function<void(int type)>& tell) {
  editor.tree.Write("b.py", kTraining);
  editor.Show("a.py", kTraining);
  CHECK(Found(editor) == 2);
  const auto write = [&](const char* text, int type) {
    editor.tree.Write("torchleak.toml", text);
    tell(type);
    return Found(editor);
  };
  CHECK(write("ignore = [\"TLK101\"]\n", 1) == 0);
  CHECK(editor.Complaints() == "");
  CHECK(write("ignore = [\"TLK102\"]\n", 2) == 2);
  CHECK(write("ignore = [\"TLK101\"]\n", 2) == 0);
  for (const char* broken : {"ignore = [\n", "ignore = [\"TLK999\"]\n", "unknown-key = 1\n"}) {
    for (int again = 0; again < 2; ++again) {
      CAPTURE(broken);
      CAPTURE(again);
      CHECK(write(broken, 2) == 0);
      CHECK(editor.Complaints().find("torchleak.toml") != std::string::npos);
      CHECK(write("ignore = [\"TLK101\"]\n", 2) == 0);
      CHECK(editor.Complaints() == "");
    }
  }
  CHECK(write("severity = { TLK101 = \"note\" }\n", 2) == 2);
  CHECK(editor.At("a.py")[0]["severity"] == 3);
  editor.tree.Remove("torchleak.toml");
  tell(3);
  CHECK(editor.At("a.py")[0]["severity"] == 2);
}

TEST_CASE("a configuration on disk, told by clients that watch") {
  Editor editor;
  editor.Start(kWatches);
  const std::vector<Json> registered = editor.Take("client/registerCapability");
  REQUIRE(registered.size() == 1);
  const std::string watchers = registered[0].dump();
  for (const char* name : {"**/*.toml", "gitignore", "ipynb"})
    CHECK(watchers.find(name) != std::string::npos);
  LiveWithConfiguration(editor, [&](int type) { editor.Watched("torchleak.toml", type); });
}

TEST_CASE("a configuration on disk, seen when a file is saved") {
  Editor editor;
  editor.Start();
  CHECK(editor.Take("client/registerCapability").empty());
  LiveWithConfiguration(editor, [&](int) { editor.Save("a.py"); });
}

TEST_CASE("the closest configuration holds, also one that comes later") {
  Editor editor;
  editor.tree.Write("torchleak.toml", "ignore = [\"TLK101\"]\n");
  editor.Start(kWatches);
  editor.Show("sub/a.py", kTraining);
  CHECK(editor.At("sub/a.py").empty());
  editor.tree.Write("sub/pyproject.toml", "[tool.torchleak]\nignore = [\"TLK102\"]\n");
  editor.Watched("sub/pyproject.toml", 1);
  CHECK(editor.At("sub/a.py").size() == 2);
  editor.tree.Write("torchleak.toml", "broken = \n");
  editor.Watched("torchleak.toml", 2);
  CHECK(editor.At("sub/a.py").size() == 2);
}

TEST_CASE("wrong settings are told once, not at each save") {
  Editor editor;
  editor.Start(Json::object(), {{"select", {"TLK999"}}});
  editor.Show("a.py", kTraining);
  CHECK_FALSE(editor.Complaints().empty());
  editor.Save("a.py");
  CHECK(editor.Complaints() == "");
}

TEST_CASE("logLevel: what was looked at, or errors only") {
  Editor editor;
  editor.tree.Write("torchleak.toml", "ignore = [\"TLK102\"]\n");
  editor.Start(Json::object(), {{"logLevel", "debug"}});
  editor.Show("a.py", kTraining);
  const std::string log = editor.Complaints();
  CHECK(log.find("looked at") != std::string::npos);
  CHECK(log.find("a.py (2 findings, " + editor.tree.Path("torchleak.toml")) != std::string::npos);
  editor.Tell("workspace/didChangeConfiguration", {{"settings", {{"logLevel", "error"}}}});
  editor.Type("a.py", 2, std::string(kTraining) + "\n");
  CHECK(editor.Complaints() == "");
}

}  // namespace
}  // namespace torchleak::lsp
