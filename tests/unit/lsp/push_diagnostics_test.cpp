// What is published, and when.
#include <doctest/doctest.h>

#include "tests/unit/lsp/editor.h"

namespace torchleak::lsp {
namespace {

TEST_CASE("an opened file is shown what the command line finds") {
  Editor editor;
  editor.tree.Write("a.py", kTraining);
  editor.Start();
  editor.Show("a.py", kTraining);
  const Json found = editor.At("a.py");
  REQUIRE(found.size() == 2);
  CHECK(Said(found) == editor.Expected("a.py"));
  CHECK(editor.shown[editor.Uri("a.py")]["version"] == 1);
  CHECK(ShownRange(found[0]["range"]) == "5:8-5:21");
  CHECK(found[0]["source"] == "torchleak");
  CHECK(found[0]["codeDescription"]["href"].get<std::string>().find("accumulated-tensor") !=
        std::string::npos);
  CHECK(found[0]["data"]["name"] == "accumulated-tensor");
  CHECK(found[0]["data"]["fingerprint"] == editor.Check().findings[0].fingerprint);
  CHECK(found[0]["data"]["fix"]["applicability"] == "unsafe");
  CHECK(found[0]["relatedInformation"].size() == editor.Check().findings[0].flow.size());
  CHECK(found[0].contains("tags") == false);
}

TEST_CASE("steps are for clients that show them; what is not used is faded") {
  Editor editor;
  editor.related = false;
  editor.Start();
  editor.Show("a.py", std::string(kTraining) + kUnused);
  const Json found = editor.At("a.py");
  REQUIRE(found.size() == 3);
  CHECK_FALSE(found[0].contains("relatedInformation"));
  CHECK(found[2].value("tags", Json()) == Json::array({1}));
  editor.tree.Write("a.py", std::string(kTraining) + kUnused);
  CHECK(Said(found) == editor.Expected("a.py"));
}

TEST_CASE("severities are those of the configuration") {
  Editor editor;
  editor.tree.Write("torchleak.toml", "severity = { TLK101 = \"error\", TLK001 = \"note\" }\n");
  editor.tree.Write("a.py", std::string(kTraining) + kUnused);
  editor.Start();
  editor.Show("a.py", std::string(kTraining) + kUnused);
  const Json found = editor.At("a.py");
  REQUIRE(found.size() == 3);
  CHECK(found[0]["severity"] == 1);
  CHECK(found[2]["severity"] == 3);
  CHECK(Said(found) == editor.Expected("a.py"));
}

TEST_CASE("each version is answered, nothing is published twice, closing takes it back") {
  Editor editor;
  editor.tree.Write("a.py", kTraining);
  editor.tree.Write("b.py", kHarmless);
  editor.Start();
  const std::string uri = editor.Uri("a.py");
  editor.Show("a.py", kTraining);
  CHECK(editor.Published() == Strings{uri});
  editor.Show("b.py", kHarmless);
  CHECK(editor.Published() == Strings{editor.Uri("b.py")});
  editor.Save("a.py");
  editor.Watched("c.py", 1);
  CHECK(editor.Published().empty());
  editor.Type("a.py", 2, std::string(kTraining) + "\n");
  CHECK(editor.Published() == Strings{uri});
  CHECK(editor.shown[uri]["version"] == 2);
  CHECK(editor.At("a.py").size() == 2);
  editor.Type("a.py", 3, kHarmless);
  CHECK(editor.Published() == Strings{uri});
  CHECK(editor.At("a.py").empty());
  editor.Type("a.py", 4, kTraining);
  editor.Close("a.py");
  CHECK(editor.Published() == Strings{uri, uri});
  CHECK(editor.At("a.py").empty());
  CHECK_FALSE(editor.shown[uri].contains("version"));
  editor.Save("b.py");
  CHECK(editor.Published().empty());
}

TEST_CASE("two messages at once are one publication") {
  Editor editor;
  editor.Start();
  const Json change = {{"textDocument", {{"uri", editor.Uri("a.py")}, {"version", 2}}},
                       {"contentChanges", {{{"text", kTraining}}}}};
  editor.Post(Message(nullptr, "textDocument/didOpen",
                      {{"textDocument",
                        {{"uri", editor.Uri("a.py")},
                         {"languageId", "python"},
                         {"version", 1},
                         {"text", kHarmless}}}}));
  editor.Post(Message(nullptr, "textDocument/didChange", change));
  editor.Settle();
  CHECK(editor.Published().size() == 1);
  CHECK(editor.At("a.py").size() == 2);
}

TEST_CASE("files outside of any folder, untitled texts, other schemes, other languages") {
  Editor editor;
  editor.tree.Write("in/x.py", kHarmless);
  editor.tree.Write("out/a.py", kTraining);
  SUBCASE("with a folder") { editor.Start(Json::object(), nullptr, {"in"}); }
  SUBCASE("without any") { editor.Start(Json::object(), nullptr, {}); }
  editor.Show("out/a.py", kTraining);
  CHECK(editor.At("out/a.py").size() == 2);
  for (const std::string uri :
       {"untitled:Untitled-1", "git:/x/a.py?%7B%22ref%22%7D", "untitled:/a/b.py"}) {
    editor.Open(uri, kTraining);
    CHECK(editor.AtUri(uri).size() == 2);
    editor.TypeAt(uri, 2, kHarmless);
    CHECK(editor.AtUri(uri).empty());
    CHECK(editor.shown[uri]["version"] == 2);
  }
  editor.Tell("textDocument/didOpen", {{"textDocument",
                                        {{"uri", editor.Uri("a.txt")},
                                         {"languageId", "plaintext"},
                                         {"version", 1},
                                         {"text", kTraining}}}});
  CHECK(editor.Published().empty());
  editor.TypeAt(editor.Uri("a.txt"), 2, kTraining);
  CHECK(editor.Published().empty());
  CHECK(editor.Complaints().empty());
}

TEST_CASE("a URI is sent back as the client spells it; two spellings are one document") {
  Editor editor;
  editor.tree.Write("a b.py", kTraining);
  editor.Start();
  const std::string escaped = "file://" + editor.tree.root() + "/a%20%62.py";
  editor.Open(escaped, kTraining);
  CHECK(editor.Published() == Strings{escaped});
  CHECK(editor.shown[escaped]["diagnostics"].size() == 2);
  editor.TypeAt("file://localhost" + editor.tree.root() + "/./a b.py", 2, kHarmless);
  CHECK(editor.AtUri(escaped).empty());
  CHECK(editor.shown.size() == 1);
  // Findings of another file name the file as this one does.
  editor.tree.Write("b.py", kTraining);
  editor.Open("file://" + editor.tree.root() + "/%62.py", kTraining);
  const Json steps =
      editor.AtUri("file://" + editor.tree.root() + "/%62.py")[0]["relatedInformation"];
  CHECK(steps[0]["location"]["uri"] == "file://" + editor.tree.root() + "/%62.py");
}

TEST_CASE("a file that cannot be analysed is shown without findings, or says why") {
  Editor editor;
  editor.Start();
  editor.Show("a.py", kTraining);
  editor.Type("a.py", 2, std::string("x = 1\0", 6));
  CHECK(editor.At("a.py").empty());
  editor.Type("a.py", 3, "def f(:\n");
  const Json broken = editor.At("a.py");
  editor.tree.Write("a.py", "def f(:\n");
  CHECK(Said(broken) == editor.Expected("a.py"));
  editor.Type("a.py", 4, kTraining);
  CHECK(editor.At("a.py").size() == 2);
}

TEST_CASE("excluded files have none, ignored files that are open do") {
  Editor editor;
  editor.tree.Write("torchleak.toml", "extend-exclude = [\"gen/\"]\n");
  editor.tree.Write(".gitignore", "ignored.py\n");
  editor.tree.MakeFolder(".git");
  editor.tree.Write("gen/a.py", kTraining);
  editor.tree.Write("ignored.py", kTraining);
  editor.Start();
  editor.Show("gen/a.py", kTraining);
  CHECK(editor.At("gen/a.py").empty());
  editor.Show("ignored.py", kTraining);
  CHECK(editor.At("ignored.py").size() == 2);
}

}  // namespace
}  // namespace torchleak::lsp
