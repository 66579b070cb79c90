// What a pointer on code or on a comment is shown.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "lsp/analysis.h"
#include "lsp/uri.h"
#include "tests/unit/lsp/client.h"

namespace torchleak::lsp {
namespace {

const Json kMarkdown = {{"textDocument", {{"hover", {{"contentFormat", {"markdown"}}}}}}};

const std::string kLeak =
    "import torch.nn.functional as F\n"
    "\n"
    "\n"
    "def train(model, loader, optimizer):\n"
    "    losses = []\n"
    "    for x, y in loader:\n"
    "        optimizer.zero_grad()\n"
    "        loss = F.cross_entropy(model(x), y)\n"
    "        loss.backward()\n"
    "        optimizer.step()\n"
    "        losses.append(loss)\n"
    "    return losses\n";

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// A client with one file, which is on no disk.
struct Editor : Client {
  Analysis analysis{server};
  std::string uri = "file:///no/such/folder/train.py", text;

  explicit Editor(std::string code, Json capabilities = kMarkdown) : text(std::move(code)) {
    AddAll(analysis);
    CHECK(Initialize(std::move(capabilities))["capabilities"]["hoverProvider"] == true);
    Open(uri, text);
  }
  // At `within` bytes behind the beginning of `part`, which is there once; in a document of ASCII.
  Json At(std::string_view part, std::size_t within = 0) {
    const std::size_t offset = text.find(part);
    REQUIRE(offset != std::string::npos);
    const LineIndex lines(text);
    return AtPosition(PositionAt(text, lines, offset + within, server.documents().encoding()));
  }
  Json AtPosition(Position position) {
    return Ask("textDocument/hover",
               {{"textDocument", {{"uri", uri}}}, {"position", ToJson(position)}})["result"];
  }
  std::string Said(std::string_view part, std::size_t within = 0) {
    const Json hover = At(part, within);
    return hover.is_null() ? "" : hover["contents"]["value"].get<std::string>();
  }
  // The text that a hover is about.
  std::string About(std::string_view part, std::size_t within = 0) {
    const Json hover = At(part, within);
    REQUIRE(hover.contains("range"));
    const auto encoding = server.documents().encoding();
    const LineIndex lines(text);
    const Range range = ReadRange(Fields(hover["range"], "range"));
    const std::size_t begin = OffsetAt(text, lines, range.start, encoding);
    return text.substr(begin, OffsetAt(text, lines, range.end, encoding) - begin);
  }
};

#define CHECK_SAYS(text, part)                        \
  do {                                                \
    const std::string said_here = (text);             \
    INFO("said: ", said_here);                        \
    CHECK(said_here.find(part) != std::string::npos); \
  } while (false)
#define CHECK_SILENT(text, part)                      \
  do {                                                \
    const std::string said_here = (text);             \
    INFO("said: ", said_here);                        \
    CHECK(said_here.find(part) == std::string::npos); \
  } while (false)

TEST_CASE("a client that shows the diagnostic beside it gets what is new") {
  Editor editor(kLeak);
  editor.analysis.SetBriefHovers(true);
  const std::string said = editor.Said("append(loss)");
  CHECK_SAYS(said, "**TLK101 accumulated-tensor** · warning\n\nKeep the number: ");
  CHECK_SAYS(said, "- `loss`: a tensor, one number; carries a graph");
  CHECK_SILENT(said, "is kept in");
  CHECK_SILENT(said, "1. ");
}

TEST_CASE("a finding: what, what is known, the way there, the fix, its page") {
  Editor editor(kLeak);
  const std::string said = editor.Said("append(loss)");
  CHECK_SAYS(said, "**TLK101 accumulated-tensor** · warning\n\n`loss` is kept in `losses`");
  CHECK_SAYS(said, "- **grad mode** on");
  CHECK_SAYS(said, "- `losses`: a container made by `[]`");
  CHECK_SAYS(said, "- `loss`: a tensor, one number; carries a graph");
  CHECK_SAYS(said, "1. [line 8](file:///no/such/folder/train.py#L8) `model(x)`: ");
  CHECK_SAYS(said, "[line 6](file:///no/such/folder/train.py#L6) `for x, y in loader`: outlives");
  CHECK_SAYS(said, "**Quick fix** (unsafe, look at it first): keep the number");
  CHECK_SAYS(said, "(https://torchleak.readthedocs.io/rules/accumulated-tensor)");
  CHECK_SILENT(said, "**runs**");  // the flow says it
  CHECK(editor.About("append(loss)") == "losses.append(loss)");
  CHECK(editor.At("append(loss)")["contents"]["kind"] == "markdown");
  // A cursor may stand behind it.
  CHECK_SAYS(editor.Said("append(loss)", 12), "TLK101");
}

TEST_CASE("what is not flagged says nothing") {
  Editor editor(kLeak);
  for (const char* part : {"zero_grad", "import torch", "model(x)", "return", "    losses = []"})
    CHECK(editor.At(part).is_null());
  CHECK(editor.AtPosition({999, 999}).is_null());
}

TEST_CASE("plain text for clients that show no other") {
  for (const Json& capabilities :
       {Json::object(), Json{{"textDocument", {{"hover", {{"contentFormat", {"plaintext"}}}}}}},
        Json{{"textDocument", {{"hover", {{"contentFormat", {"?", "plaintext", "markdown"}}}}}}}}) {
    Editor editor(Replaced(kLeak, "    return", "    # noqa: TLK101\n    return"), capabilities);
    CHECK(editor.At("append(loss)")["contents"]["kind"] == "plaintext");
    for (const std::string& said : {editor.Said("append(loss)"), editor.Said("noqa: TLK101", 8)}) {
      CHECK_SAYS(said, "TLK101 accumulated-tensor · ");
      CHECK_SAYS(said, "https://torchleak.readthedocs.io/rules/accumulated-tensor");
      CHECK_SILENT(said, "**");
      CHECK_SILENT(said, "`");
      CHECK_SILENT(said, "](");
    }
    CHECK_SAYS(editor.Said("append(loss)"), "line 8 model(x): ");
  }
}

TEST_CASE("a suppression's word: the rule that it names") {
  for (const char* comment :
       {"# noqa: E501, TLK101", "# torchleak: ignore[TLK101] two batches only"}) {
    Editor editor(Replaced(kLeak, "append(loss)", std::string("append(loss)  ") + comment));
    const std::string said = editor.Said("TLK101", 2);
    CHECK_SAYS(said, "**TLK101 accumulated-tensor** · ");
    CHECK_SAYS(said, "A value that carries an autograd graph is kept");
    CHECK_SAYS(said, "A loss looks like one number");
    CHECK_SAYS(said, "| measured | CPU | GPU |");
    CHECK_SAYS(said, "[All about accumulated-tensor](https://");
    CHECK(editor.About("TLK101", 2) == "TLK101");
  }
  Editor editor("# torchleak: ignore-file[hook-not-removed]\n" + kLeak);
  CHECK_SAYS(editor.Said("hook-not"), "**TLK105 hook-not-removed**");
}

TEST_CASE("a word that names several rules, all of them, or none of ours") {
  Editor editor(Replaced(kLeak, "append(loss)", "append(loss)  # noqa: E501, TLK10") +
                "x = 1  # noqa\n# torchleak: disable[ALL]\n");
  const std::string some = editor.Said("TLK10");
  CHECK_SAYS(some, "`TLK10` stands for ");
  CHECK_SAYS(some, " rules:");
  CHECK_SAYS(some, "- [TLK101 accumulated-tensor](https://");
  CHECK_SILENT(some, "TLK203");
  CHECK_SAYS(editor.Said("1  # noqa", 5), "[TLK203 eval-with-grad]");
  CHECK_SAYS(editor.Said("ALL"), "[TLK203 eval-with-grad]");
  CHECK(editor.At("E501", 1).is_null());
}

TEST_CASE("what is suppressed on a line, and by which comment") {
  Editor editor(
      Replaced(kLeak, "append(loss)", "append(loss)  # torchleak: ignore[TLK101] two batches"));
  for (const char* part : {"append", "torchleak: ignore", "two batches"}) {
    const std::string said = editor.Said(part);
    CHECK_SAYS(said,
               "**TLK101 accumulated-tensor** is suppressed by "
               "`# torchleak: ignore[TLK101] two batches` ([line 11](file:");
    CHECK_SAYS(said, "`loss` is kept in `losses`");
  }
  CHECK(editor.About("append") == "losses.append(loss)");
  CHECK(editor.About("two batches") == "# torchleak: ignore[TLK101] two batches");
}

TEST_CASE("what is told of values: not what only goes into them") {
  Editor editor(
      "import torch\n\n\n@torch.no_grad()\ndef predict(model, loader):\n    rows = []\n"
      "    for x in loader:\n        x = x.cuda()\n        rows.append(model(x))\n    return "
      "rows\n");
  const std::string said = editor.Said("rows.append");
  CHECK_SAYS(said, "**TLK102 gpu-accumulation**");
  CHECK_SAYS(said, "- **grad mode** off, by the decorator");
  CHECK_SAYS(said, "- `model(x)`: a tensor, on the device; no graph");
  CHECK_SILENT(said, "- `x`:");
}

TEST_CASE("an unused suppression: the finding, then the rule") {
  Editor editor("import torch\n" +
                Replaced(kLeak, "    losses = []", "    losses = []  # noqa: TLK105"));
  const std::string said = editor.Said("TLK105", 1);
  CHECK_SAYS(said, "**TLK001 unused-suppression**");
  CHECK_SAYS(said, "---\n\n**TLK105 hook-not-removed**");
  CHECK_SILENT(said, "grad mode");
}

TEST_CASE("positions behind characters of several units") {
  const std::string code = Replaced(kLeak, "losses.append(loss)", "é = \"🔥\"; losses.append(loss)");
  for (const char* encoding : {"utf-8", "utf-16", "utf-32"}) {
    Json capabilities = kMarkdown;
    capabilities["general"] = {{"positionEncodings", {encoding}}};
    Editor editor(code, capabilities);
    CHECK(editor.About("losses.append") == "losses.append(loss)");
    CHECK(editor.At("🔥").is_null());
  }
}

TEST_CASE("code that does not parse, and code that was just typed") {
  Editor editor(kLeak + "\ndef broken(:\n    x = (\n");
  CHECK_SAYS(editor.Said("append(loss)"), "**TLK101");
  CHECK_SAYS(editor.Said("broken(:", 7), "**TLK000 syntax-error**");
  editor.text = "# a line\n" + kLeak;
  editor.Tell("textDocument/didChange", {{"textDocument", {{"uri", editor.uri}, {"version", 2}}},
                                         {"contentChanges", {{{"text", editor.text}}}}});
  CHECK_SAYS(editor.Said("append(loss)"), "[line 9](file:");
}

TEST_CASE("nothing of a source is taken for Markdown") {
  Editor editor(Replaced(kLeak, "model(x)", "model(x, \"`<b>|\\n**\")"));
  const std::string said = editor.Said("append(loss)");
  CHECK_SAYS(said, "``model(x, \"`<b>|\\n**\")``: ");
}

TEST_CASE("a cell of a notebook") {
  Editor editor("x = 1\n");
  const Json cell = {{"kind", 2}, {"document", "vscode-notebook-cell:/n.ipynb#a"}};
  editor.uri = "vscode-notebook-cell:/n.ipynb#a";
  editor.text = kLeak;
  editor.Tell(
      "notebookDocument/didOpen",
      {{"notebookDocument",
        {{"uri", "file:///no/such/folder/n.ipynb"},
         {"notebookType", "jupyter-notebook"},
         {"version", 1},
         {"cells", {cell}}}},
       {"cellTextDocuments",
        {{{"uri", editor.uri}, {"languageId", "python"}, {"version", 1}, {"text", kLeak}}}}});
  const std::string said = editor.Said("append(loss)");
  CHECK_SAYS(said, "**TLK101");
  CHECK_SAYS(said, "1. line 8 of cell 1 `model(x)`: ");  // no address that a client can open
  CHECK(editor.About("append(loss)") == "losses.append(loss)");
}

TEST_CASE("what is asked in the wrong form, or of what is not open") {
  Editor editor(kLeak);
  CHECK(editor.ErrorOf("textDocument/hover", {{"textDocument", {{"uri", editor.uri}}}}) == -32602);
  CHECK(editor.ErrorOf("textDocument/hover") == -32602);
  editor.uri = "file:///elsewhere.py";
  CHECK(editor.At("append").is_null());
}

}  // namespace
}  // namespace torchleak::lsp
