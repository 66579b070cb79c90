// Notebooks: as such, and their JSON as text.
#include <doctest/doctest.h>

#include "driver/fix_run.h"
#include "tests/unit/lsp/editor.h"

namespace torchleak::lsp {
namespace {

constexpr const char* kSetUp = "%matplotlib inline\nimport torch\nkept = []";
constexpr const char* kLoop =
    "'😀'; total = 0.0\nfor batch in loader:\n    loss = model(batch).mean(); loss.backward()\n"
    "    kept.append(loss)\n";

struct Notebook : Editor {
  struct Cell {
    std::string uri, language, text;
    int version = 1;
  };
  std::string uri;
  std::vector<Cell> cells;
  int version = 1, made = 0;

  explicit Notebook(const Json& capabilities = Json::object()) {
    uri = Uri("n.ipynb");
    Start(capabilities);
  }
  Cell Make(std::string text, std::string language = "python") {
    return {"vscode-notebook-cell:" + uri.substr(5) + "#c" + std::to_string(++made),
            std::move(language), std::move(text)};
  }
  static Json Said(const Cell& cell) {
    return {{"kind", cell.language == "markdown" ? 1 : 2}, {"document", cell.uri}};
  }
  static Json Item(const Cell& cell) {
    return {{"uri", cell.uri},
            {"languageId", cell.language},
            {"version", cell.version},
            {"text", cell.text}};
  }
  void OpenIt(std::vector<Cell> made_cells) {
    cells = std::move(made_cells);
    Json said = Json::array(), texts = Json::array();
    for (const Cell& cell : cells) said.push_back(Said(cell)), texts.push_back(Item(cell));
    Tell("notebookDocument/didOpen", {{"notebookDocument",
                                       {{"uri", uri},
                                        {"notebookType", "jupyter-notebook"},
                                        {"version", version},
                                        {"cells", said}}},
                                      {"cellTextDocuments", texts}});
  }
  void Change(const Json& change) {
    Tell("notebookDocument/didChange",
         {{"notebookDocument", {{"uri", uri}, {"version", ++version}}}, {"change", change}});
  }
  void Splice(std::size_t start, std::size_t count, const std::vector<Cell>& put) {
    Json said = Json::array(), opened = Json::array(), closed = Json::array();
    for (std::size_t i = start; i < start + count; ++i) closed.push_back({{"uri", cells[i].uri}});
    for (const Cell& cell : put) said.push_back(Said(cell)), opened.push_back(Item(cell));
    const auto at = cells.begin() + static_cast<std::ptrdiff_t>(start);
    cells.insert(cells.erase(at, at + static_cast<std::ptrdiff_t>(count)), put.begin(), put.end());
    Change({{"cells",
             {{"structure",
               {{"array", {{"start", start}, {"deleteCount", count}, {"cells", said}}},
                {"didOpen", opened},
                {"didClose", closed}}}}}});
  }
  void Edit(std::size_t index, const std::string& text) {
    Cell& cell = cells[index];
    cell.text = text;
    Change({{"cells",
             {{"textContent",
               {{{"document", {{"uri", cell.uri}, {"version", ++cell.version}}},
                 {"changes", {{{"text", text}}}}}}}}}});
  }
  // What a client would save.
  std::string File() const {
    Json file = {{"nbformat", 4}, {"nbformat_minor", 5}, {"metadata", Json::object()}};
    for (const Cell& cell : cells) {
      const bool is_text = cell.language == "markdown";
      Json metadata = Json::object();
      if (!is_text && cell.language != "python")
        metadata["vscode"] = {{"languageId", cell.language}};
      Json json = {{"cell_type", is_text ? "markdown" : "code"},
                   {"metadata", metadata},
                   {"source", cell.text}};
      if (!is_text) json["outputs"] = Json::array(), json["execution_count"] = nullptr;
      file["cells"].push_back(json);
    }
    return file.dump(1);
  }
  // "3: 3:4-3:21 TLK101 …" for each cell, by its number; the same from the server and from Check.
  Strings Shown() {
    Published();
    Strings lines;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      for (const std::string& line : lsp::Said(AtUri(cells[i].uri)))
        lines.push_back(std::to_string(i + 1) + ": " + line.substr(0, line.find(" | ")));
    }
    return lines;
  }
  Strings Wanted() {
    tree.Write("n.ipynb", File());
    const driver::FindingSet set = Check();
    tree.Remove("n.ipynb");
    Strings lines;
    for (const findings::Finding& f : set.findings) {
      const text::Source& source = *set.SourceOf(f.location.path);
      // The cell and the place in it, found by its text.
      const std::string_view before = source.bytes().substr(0, f.location.span.begin);
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::size_t at = source.bytes().find(cells[i].text);
        const std::size_t end = at + cells[i].text.size();
        if (at == std::string_view::npos || before.size() < at || before.size() >= end) continue;
        const Json range = {{"start", PositionIn(cells[i].text, before.size() - at, encoding)},
                            {"end", PositionIn(cells[i].text, f.location.span.end - at, encoding)}};
        lines.push_back(fmt::format("{}: {} {} 2 {}", i + 1, ShownRange(range), f.code, f.message));
      }
    }
    CHECK(lines.size() == set.findings.size());
    return lines;
  }
};

TEST_CASE("findings are shown in their cells, whatever happens to these") {
  Notebook editor;
  editor.OpenIt({editor.Make("# Text", "markdown"), editor.Make(kSetUp), editor.Make(kLoop)});
  const auto look = [&](std::size_t count) {
    const Strings shown = editor.Shown();
    CHECK(shown.size() == count);
    CHECK(shown == editor.Wanted());
  };
  look(1);
  CHECK(editor.shown[editor.cells[2].uri]["version"] == 1);
  editor.Edit(2, std::string("'😀😀'\n") + kLoop);
  CHECK(editor.Published() == Strings{editor.cells[2].uri});
  CHECK(editor.shown[editor.cells[2].uri]["version"] == 2);
  look(1);
  editor.Edit(0, "# More");  // nobody is told of a text twice
  CHECK(editor.AtUri(editor.cells[0].uri).empty());
  // A cell in front, of another language.
  editor.Splice(0, 0, {editor.Make("select 1", "sql"), editor.Make("!ls\n%cd /\nx = 1")});
  look(1);
  // Taken out; put before the cell in which `kept` is made; moved behind it.
  const Notebook::Cell loop = editor.cells.back();
  editor.Splice(4, 1, {});
  CHECK(editor.AtUri(loop.uri).empty());
  look(0);
  editor.Splice(3, 0, {loop});
  look(0);
  editor.Splice(3, 2, {editor.cells[4], editor.cells[3]});
  look(1);
  editor.Splice(0, editor.cells.size(), {});
  look(0);
  CHECK(editor.AtUri(loop.uri).empty());
  editor.Splice(0, 0, {editor.Make(kSetUp), editor.Make(kLoop), editor.Make(kLoop)});
  CHECK(editor.Shown().size() == 2);
  editor.Tell("notebookDocument/didClose",
              {{"notebookDocument", {{"uri", editor.uri}}}, {"cellTextDocuments", Json::array()}});
  CHECK(editor.Shown().empty());
  CHECK(editor.Complaints() == "");
}

TEST_CASE("steps name the cells") {
  Notebook editor;
  editor.OpenIt({editor.Make(kSetUp), editor.Make(kLoop)});
  const Json found = editor.AtUri(editor.cells[1].uri);
  REQUIRE(found.size() == 1);
  for (const Json& step : found[0]["relatedInformation"]) {
    const std::string uri = step["location"]["uri"];
    CHECK((uri == editor.cells[0].uri || uri == editor.cells[1].uri));
  }
}

TEST_CASE("quick fixes in a cell, in its positions") {
  Notebook editor;
  editor.OpenIt({editor.Make(kSetUp), editor.Make(kLoop)});
  const std::string cell = editor.cells[1].uri;
  const Json range = RangeOf(kLoop, "kept.append(loss)");
  const Json actions = editor.Actions(cell, range);
  const Json fix = ActionNamed(actions, "Keep the number")["edit"]["changes"];
  CHECK(fix.size() == 1);
  CHECK(WithEdits(kLoop, fix[cell]).find("kept.append(loss.item())") != std::string::npos);
  const Json quiet = ActionNamed(actions, "Disable")["edit"]["changes"];
  const std::string text = WithEdits(kLoop, quiet[cell]);
  CHECK(text.find("kept.append(loss)  # noqa: TLK101\n") != std::string::npos);
  CHECK(editor.Actions(editor.cells[0].uri, range).empty());
  editor.Edit(1, text);
  CHECK(editor.Shown().empty());
}

TEST_CASE("all cells are fixed at once, or one") {
  Notebook editor(Json{{"workspace", {{"workspaceEdit", {{"documentChanges", true}}}}}});
  editor.OpenIt({editor.Make("x = 1  # noqa: TLK101"), editor.Make("# y", "markdown"),
                 editor.Make("'😀'; y = 1  # noqa: TLK101\n")});
  CHECK(editor.Shown().size() == 2);
  const Json range = RangeOf("x", "x");
  const auto changes = [&](const char* kind) {
    const Json actions = editor.Actions(editor.cells[2].uri, range, {kind});
    REQUIRE(actions.size() == 1);
    return actions[0]["edit"]["documentChanges"];
  };
  for (const char* kind :
       {"notebook.source.fixAll", "notebook.source.fixAll.torchleak", "notebook"}) {
    const Json edits = changes(kind);
    CAPTURE(edits.dump());
    REQUIRE(edits.size() == 2);
    CHECK(edits[0]["textDocument"]["uri"] == editor.cells[0].uri);
    CHECK(WithEdits(editor.cells[0].text, edits[0]["edits"]) == "x = 1");
    CHECK(edits[1]["textDocument"]["uri"] == editor.cells[2].uri);
    CHECK(edits[1]["textDocument"]["version"] == 1);
    CHECK(WithEdits(editor.cells[2].text, edits[1]["edits"]) == "'😀'; y = 1\n");
  }
  const Json one = changes("source.fixAll");
  REQUIRE(one.size() == 1);
  CHECK(one[0]["textDocument"]["uri"] == editor.cells[2].uri);
  editor.Ask("workspace/executeCommand",
             {{"command", "torchleak.applyFixAll"}, {"arguments", {editor.uri}}});
  CHECK(editor.Take("workspace/applyEdit")[0]["edit"]["documentChanges"].size() == 2);
}

TEST_CASE("the JSON of a notebook that is open as text") {
  Editor editor;
  Notebook notebook;
  notebook.cells = {notebook.Make(kSetUp), notebook.Make(kLoop)};
  const std::string text = notebook.File();
  editor.tree.Write("n.ipynb", text);
  editor.Start();
  editor.Tell(
      "textDocument/didOpen",
      {{"textDocument",
        {{"uri", editor.Uri("n.ipynb")}, {"languageId", "json"}, {"version", 1}, {"text", text}}}});
  const Json found = editor.At("n.ipynb");
  REQUIRE(found.size() == 1);
  CHECK(found[0]["range"] == RangeOf(text, "kept.append(loss)"));
  const Json fix =
      ActionNamed(editor.Actions(editor.Uri("n.ipynb"), found[0]["range"]), "Keep the number");
  std::string fixed = text;
  fixed.replace(text.find("append(loss)"), 12, "append(loss.item())");
  CHECK(WithEdits(text, fix["edit"]["changes"][editor.Uri("n.ipynb")]) == fixed);
  editor.Type("n.ipynb", 2, "{");
  CHECK(editor.At("n.ipynb").empty());
  editor.Type("n.ipynb", 3, fixed);
  CHECK(editor.At("n.ipynb").empty());
}

TEST_CASE("opened as a notebook and as text, one after the other or both") {
  Notebook editor;
  editor.OpenIt({editor.Make(kSetUp), editor.Make(kLoop)});
  CHECK(editor.Shown().size() == 1);
  const std::string text = editor.File();
  editor.Open(editor.uri, text);
  editor.Tell("notebookDocument/didClose",
              {{"notebookDocument", {{"uri", editor.uri}}}, {"cellTextDocuments", Json::array()}});
  CHECK(editor.Shown().empty());
  CHECK(editor.AtUri(editor.uri).size() == 1);
  editor.TypeAt(editor.uri, 2, "{}");
  CHECK(editor.AtUri(editor.uri).empty());
  editor.TypeAt(editor.uri, 3, text);
  CHECK(editor.AtUri(editor.uri).size() == 1);
}

TEST_CASE("an untitled notebook") {
  Notebook editor;
  editor.uri = "untitled:Untitled-1.ipynb";
  SUBCASE("") {}
  SUBCASE("without an ending") { editor.uri = "untitled:Untitled-1?jupyter-notebook"; }
  editor.OpenIt({editor.Make(kSetUp), editor.Make(kLoop)});
  CHECK(editor.Shown().size() == 1);
  editor.Edit(1, "x = 1");
  CHECK(editor.Shown().empty());
}

TEST_CASE("cells are pulled one by one") {
  Notebook editor(Json{{"textDocument", {{"diagnostic", Json::object()}}}});
  editor.OpenIt({editor.Make(kSetUp), editor.Make(kLoop)});
  const auto pull = [&](const std::string& uri) {
    return editor
        .Ask("textDocument/diagnostic", {{"textDocument", {{"uri", uri}}}})["result"]["items"]
        .size();
  };
  CHECK(pull(editor.cells[0].uri) == 0);
  CHECK(pull(editor.cells[1].uri) == 1);
  CHECK(editor.Published().empty());
}

}  // namespace
}  // namespace torchleak::lsp
