// Positions of findings and of edits in texts of all kinds, in the three encodings.
#include <doctest/doctest.h>

#include "tests/unit/lsp/editor.h"

namespace torchleak::lsp {
namespace {

constexpr const char* kEncodings[] = {"utf-8", "utf-16", "utf-32"};
constexpr std::string_view kMark = "\xEF\xBB\xBF";

// Astral characters before the finding, on its line and on those of its steps.
constexpr std::string_view kAstral =
    "import torch\ndef train(model, loader):\n    kept = {'😀é': []}\n"
    "    for batch in loader:\n        '😀€'; loss = model(batch).mean(); loss.backward(); "
    "'𝄞'; kept['😀é'].append(loss)\n    return kept\n";

std::string With(std::string text, std::string_view line_end) {
  if (line_end == "\n") return text;
  std::string out;
  for (const char c : text) c == '\n' ? out += line_end : out += c;
  return out;
}

// Shows a text and looks at all that has a range in it.
void Look(Editor& editor, const std::string& text) {
  editor.tree.Write("a.py", text);
  editor.Show("a.py", text);
  const Json found = editor.At("a.py");
  REQUIRE(found.size() == 1);
  CHECK(Said(found) == editor.Expected("a.py"));
  CHECK(found[0]["range"] == RangeOf(text, "kept['😀é'].append(loss)", editor.encoding));
}

TEST_CASE("findings and edits stand where they should in each encoding") {
  for (const char* encoding : kEncodings) {
    for (const std::string_view line_end : {"\n", "\r\n"}) {
      for (const bool has_mark : {false, true}) {
        CAPTURE(encoding);
        CAPTURE(line_end.size());
        CAPTURE(has_mark);
        Editor editor;
        editor.encoding = encoding;
        CHECK(editor.Start()["positionEncoding"] == encoding);
        std::string text = With(std::string(kAstral), line_end);
        if (has_mark) text.insert(0, kMark);
        editor.tree.Write("a.py", text);
        editor.Show("a.py", text);
        const Json found = editor.At("a.py");
        REQUIRE(found.size() == 1);
        CHECK(Said(found) == editor.Expected("a.py"));
        const Json fix =
            ActionNamed(editor.Actions(editor.Uri("a.py"), found[0]["range"]), "Keep the number");
        const std::string fixed =
            WithEdits(text, fix["edit"]["changes"][editor.Uri("a.py")], encoding);
        std::string expected = text;
        expected.replace(text.find("append(loss)"), 12, "append(loss.item())");
        CHECK(fixed == expected);
        const Json disable =
            ActionNamed(editor.Actions(editor.Uri("a.py"), found[0]["range"]), "Disable");
        const std::string quiet =
            WithEdits(text, disable["edit"]["changes"][editor.Uri("a.py")], encoding);
        expected = text;
        expected.insert(text.find("append(loss)") + 12, "  # noqa: TLK101");
        CHECK(quiet == expected);
        editor.Type("a.py", 2, quiet);
        CHECK(editor.At("a.py").empty());
      }
    }
  }
}

TEST_CASE("old line ends") {
  Editor editor;
  editor.Start();
  const std::string text = With(std::string(kAstral), "\r");
  editor.tree.Write("a.py", text);
  editor.Show("a.py", text);
  CHECK(Said(editor.At("a.py")) == editor.Expected("a.py"));
}

TEST_CASE("a finding in the first line, behind a mark") {
  for (const char* encoding : kEncodings) {
    CAPTURE(encoding);
    Editor editor;
    editor.encoding = encoding;
    editor.Start();
    const std::string text = std::string(kMark) + "x = '😀'  # noqa: TLK101\nimport torch\n";
    editor.tree.Write("a.py", text);
    editor.Show("a.py", text);
    const Json found = editor.At("a.py");
    REQUIRE(found.size() == 1);
    CHECK(Said(found) == editor.Expected("a.py"));
    const Json fix = ActionNamed(editor.Actions(editor.Uri("a.py"), found[0]["range"]), "Remove");
    CHECK(WithEdits(text, fix["edit"]["changes"][editor.Uri("a.py")], encoding) ==
          std::string(kMark) + "x = '😀'\nimport torch\n");
  }
}

TEST_CASE("edits of parts of a text, several in one message, keep the findings in place") {
  for (const char* encoding : kEncodings) {
    CAPTURE(encoding);
    Editor editor;
    editor.encoding = encoding;
    editor.Start();
    std::string text(kAstral);
    Look(editor, text);
    int version = 1;
    const auto edit = [&](std::string_view part, std::string_view instead) {
      Json change = {{"range", RangeOf(text, part, encoding)}, {"text", instead}};
      text.replace(text.find(part), part.size(), instead);
      return change;
    };
    const auto send = [&](const Json& changes) {
      editor.Tell("textDocument/didChange",
                  {{"textDocument", {{"uri", editor.Uri("a.py")}, {"version", ++version}}},
                   {"contentChanges", changes}});
      editor.tree.Write("a.py", text);
      CHECK(editor.shown.size() == 1);
      const Json found = editor.At("a.py");
      CHECK(Said(found) == editor.Expected("a.py"));
      return found.size();
    };
    CHECK(send(Json::array({edit("'😀€'; ", "'😀😀𝄞'; ")})) == 1);
    const Json above = edit("import torch\n", "import torch\r\n# 😀\r\n");
    const Json same_line = edit("'𝄞'; ", "");
    CHECK(send({above, same_line, edit("'😀😀𝄞'; ", "")}) == 1);
    CHECK(send(Json::array({edit("append(loss)", "append(loss.item())")})) == 0);
    CHECK(send(Json::array({edit(".item()", "")})) == 1);
    text = kTraining;
    CHECK(send(Json::array({{{"text", text}}})) == 2);
  }
}

TEST_CASE("ranges out of the text are clamped, and versions that go back are taken") {
  Editor editor;
  editor.Start();
  editor.Show("a.py", kTraining);
  editor.Complaints();
  const auto change = [&](int version, const Json& range, const char* text) {
    editor.Tell("textDocument/didChange",
                {{"textDocument", {{"uri", editor.Uri("a.py")}, {"version", version}}},
                 {"contentChanges", {{{"range", range}, {"text", text}}}}});
  };
  const auto range = [](std::uint32_t l, std::uint32_t c, std::uint32_t m, std::uint32_t d) {
    return Json{{"start", {{"line", l}, {"character", c}}},
                {"end", {{"line", m}, {"character", d}}}};
  };
  change(2, range(900, 0, 4'000'000'000U, 7), "# end\n");
  CHECK_FALSE(editor.Complaints().empty());
  CHECK(editor.At("a.py").size() == 2);
  change(1, range(0, 0, 0, 0), "\n");
  CHECK_FALSE(editor.Complaints().empty());
  const Json found = editor.At("a.py");
  REQUIRE(found.size() == 2);
  CHECK(ShownRange(found[0]["range"]) == "6:8-6:21");
  CHECK(editor.shown[editor.Uri("a.py")]["version"] == 1);
}

}  // namespace
}  // namespace torchleak::lsp
