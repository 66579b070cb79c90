// textDocument/codeAction without fixing all: fix_all_test.cpp.
#include <doctest/doctest.h>

#include "tests/unit/lsp/editor.h"

namespace torchleak::lsp {
namespace {

constexpr const char* kBoth =
    "import torch\nx = 1  # noqa: TLK101\ndef train(model, loader):\n    total = 0.0\n"
    "    for batch in loader:\n        loss = model(batch).mean(); loss.backward()\n        total "
    "+= loss\n    return total\n";

struct Shown : Editor {
  std::string uri;
  explicit Shown(const std::string& text = kBoth, const Json& options = nullptr,
                 const Json& capabilities = Json::object(), std::string_view config = "") {
    if (!config.empty()) tree.Write("torchleak.toml", config);
    Start(capabilities, options);
    uri = Uri("a.py");
    Show("a.py", text);
  }
  Json Of(std::string_view part, const Json& only = nullptr) {
    return Actions(uri, RangeOf(server.documents().Find(uri)->text(), part), only);
  }
};

TEST_CASE("a fix is preferred only when it is safe") {
  Shown editor;
  const Json unsafe = editor.Of("total +=");
  CHECK(Titles(unsafe) == Strings{"Keep the number, not the tensor (unsafe)",
                                  "Disable TLK101 for this line",
                                  "Show the page of TLK101 accumulated-tensor"});
  REQUIRE(unsafe.size() == 3);
  CHECK_FALSE(unsafe[0].contains("isPreferred"));
  const Json safe = editor.Of("# noqa");
  CHECK(ActionNamed(safe, "Remove the unused suppression")["isPreferred"] == true);
  CHECK_FALSE(ActionNamed(safe, "Show the page")["isPreferred"].is_boolean());
  for (const Json& action : safe) {
    CHECK(action["kind"] == "quickfix");
    REQUIRE(action["diagnostics"].size() == 1);
    CHECK(action["diagnostics"][0]["code"] == "TLK001");
  }
  CHECK(ActionNamed(unsafe, "Show the page")["command"]["command"] == "torchleak.showRule");
  CHECK(ActionNamed(unsafe, "Show the page")["command"]["arguments"] == Json{"TLK101"});
}

TEST_CASE("only what the range touches") {
  Shown editor;
  CHECK(editor.Of("import torch").empty());
  CHECK(editor.Of("total = 0.0").empty());
  CHECK(editor.Of("return").empty());
  CHECK(editor.Of(std::string_view(kBoth).substr(20, 180)).size() == 5);
  const Json empty_at_end = {{"start", {{"line", 6}, {"character", 13}}},
                             {"end", {{"line", 6}, {"character", 13}}}};
  CHECK(editor.Actions(editor.uri, empty_at_end).size() == 3);
  CHECK(editor.Actions("file:///not/open.py", empty_at_end).empty());
}

TEST_CASE("kinds that are asked for") {
  Shown editor;
  const auto count = [&](const Json& only) { return editor.Of("# noqa: TLK101", only).size(); };
  CHECK(count({"quickfix"}) == 2);
  CHECK(count({""}) == 3);
  CHECK(count({"quickfix.torchleak"}) == 0);
  CHECK(count({"quick"}) == 0);
  CHECK(count({"refactor"}) == 0);
  CHECK(count(Json::array()) == 0);
  for (const char* kind : {"source", "source.fixAll", "source.fixAll.torchleak"}) {
    const Json actions = editor.Of("import torch", {kind});
    REQUIRE(actions.size() == 1);
    CHECK(actions[0]["kind"] == "source.fixAll.torchleak");
  }
  CHECK(count({"source.organizeImports"}) == 0);
  CHECK(count({"source.fixAll.ruff"}) == 0);
  CHECK(count({"notebook.source.fixAll"}) == 0);
  CHECK(count({"refactor", "quickfix"}) == 2);
}

TEST_CASE("fixes that are not wanted are not offered") {
  SUBCASE("by the editor's settings") {
    Shown editor(kBoth, {{"settings", {{"unsafeFixes", false}}}});
    CHECK(Titles(editor.Of("total +=")) ==
          Strings{"Disable TLK101 for this line", "Show the page of TLK101 accumulated-tensor"});
    CHECK(editor.Of("# noqa").size() == 2);
  }
  SUBCASE("by the configuration") {
    Shown editor(kBoth, nullptr, Json::object(), "unfixable = [\"TLK101\", \"TLK001\"]\n");
    CHECK(Titles(editor.Of("total +=")) ==
          Strings{"Disable TLK101 for this line", "Show the page of TLK101 accumulated-tensor"});
    CHECK(Titles(editor.Of("# noqa: TLK101")) ==
          Strings{"Show the page of TLK001 unused-suppression"});
    CHECK(editor.Of("# noqa", {"source.fixAll"}).empty());
  }
}

TEST_CASE("disabling for one line makes the finding go, and nothing else") {
  struct Case {
    const char *line, *expected;
  };
  const Case cases[] = {
      {"total += loss", "total += loss  # noqa: TLK101"},
      {"total += loss  # noqa: E501", "total += loss  # noqa: E501, TLK101"},
      {"total += loss  # why", "total += loss  # why  # noqa: TLK101"},
      {"total += (\n            loss)", nullptr},
      {"total += (loss if '''\n''' else loss)", nullptr},
      {"total += loss \\\n            + 1", nullptr},
  };
  const std::string text = kTraining;
  for (const Case& c : cases) {
    CAPTURE(c.line);
    std::string before = text;
    before.replace(text.find("total += loss"), 13, c.line);
    Shown editor(before);
    const Strings all = Said(editor.At("a.py"));
    if (all.size() < 2) continue;
    const Json action = ActionNamed(editor.Of("total +="), "Disable TLK101");
    const std::string after = WithEdits(before, action["edit"]["changes"][editor.uri]);
    if (c.expected != nullptr) {
      std::string expected = text;
      expected.replace(text.find("total += loss"), 13, c.expected);
      CHECK(after == expected);
    }
    editor.Type("a.py", 2, after);
    const Json left = editor.At("a.py");
    REQUIRE(left.size() == 1);
    CHECK(left[0]["message"].get<std::string>().find("`kept`") != std::string::npos);
  }
}

TEST_CASE("edits name the version for clients that can tell") {
  Shown editor(kBoth, nullptr, {{"workspace", {{"workspaceEdit", {{"documentChanges", true}}}}}});
  editor.Type("a.py", 7, kTraining);
  const Json edit = editor.Of("total +=")[0]["edit"];
  CHECK_FALSE(edit.contains("changes"));
  REQUIRE(edit["documentChanges"].size() == 1);
  CHECK(edit["documentChanges"][0]["textDocument"] == Json{{"uri", editor.uri}, {"version", 7}});
  CHECK(WithEdits(kTraining, edit["documentChanges"][0]["edits"]).find("total += loss.item()") !=
        std::string::npos);
  Shown old;
  CHECK_FALSE(old.Of("total +=")[0]["edit"].contains("documentChanges"));
}

TEST_CASE("the client's own diagnostics stand for the finding") {
  Shown editor;
  Json own = editor.At("a.py")[1];
  own["theirs"] = 5;
  const Json context = {{"diagnostics", {own, 5, {{"code", "TLK101"}}, Json::object()}}};
  const Json actions =
      editor.Ask("textDocument/codeAction", {{"textDocument", {{"uri", editor.uri}}},
                                             {"range", own["range"]},
                                             {"context", context}})["result"];
  REQUIRE_FALSE(actions.empty());
  for (const Json& action : actions) CHECK(action["diagnostics"] == Json{own});
}

TEST_CASE("what is typed just before is in the answer") {
  Shown editor(kHarmless);
  editor.Post(Message(nullptr, "textDocument/didChange",
                      {{"textDocument", {{"uri", editor.uri}, {"version", 2}}},
                       {"contentChanges", {{{"text", kTraining}}}}}));
  const Json whole = {{"start", {{"line", 0}, {"character", 0}}},
                      {"end", {{"line", 9}, {"character", 0}}}};
  CHECK(editor.Actions(editor.uri, whole).size() == 6);
}

TEST_CASE("wrong parameters are refused") {
  Shown editor;
  CHECK(editor.ErrorOf("textDocument/codeAction") == error_code::kInvalidParams);
  CHECK(editor.ErrorOf("textDocument/codeAction", {{"textDocument", {{"uri", editor.uri}}}}) ==
        error_code::kInvalidParams);
  CHECK(editor.ErrorOf("codeAction/resolve") == error_code::kInvalidParams);
  CHECK(editor.ErrorOf("codeAction/resolve", {{"data", {{"uri", 1}}}}) ==
        error_code::kInvalidParams);
  const Json unknown = {{"title", "x"}, {"data", {{"uri", "file:///no.py"}}}};
  CHECK(editor.Ask("codeAction/resolve", unknown)["result"]["title"] == "x");
}

}  // namespace
}  // namespace torchleak::lsp
