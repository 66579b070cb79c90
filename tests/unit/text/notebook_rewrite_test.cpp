#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/unit/text/notebooks.h"

namespace torchleak::text {
namespace {

using Change =
    std::pair<std::string_view, std::string>;  // text of the source, and what becomes of it

// Every change is made at the first place where its text stands.
Result<std::string> Try(const Source& source, std::initializer_list<Change> changes) {
  std::vector<Notebook::Edit> edits;
  for (const auto& [old_text, new_text] : changes) {
    const std::size_t at = source.bytes().find(old_text);
    REQUIRE(at != source.bytes().npos);
    const auto begin = static_cast<std::uint32_t>(at);
    edits.push_back({{begin, begin + static_cast<std::uint32_t>(old_text.size())}, new_text});
  }
  return source.notebook()->Rewrite(edits);
}

std::string Rewritten(std::string raw, std::initializer_list<Change> changes) {
  const Source source = OpenNotebook(std::move(raw));
  Result<std::string> out = Try(source, changes);
  if (!out) FAIL(out.error().message);
  std::string expected(source.bytes());
  for (const auto& [old_text, new_text] : changes)
    expected.replace(expected.find(old_text), old_text.size(), new_text);
  const Source again = OpenNotebook(*out);
  const auto trimmed = [](std::string_view text) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    return std::string(text);
  };
  CHECK(trimmed(again.bytes()) == trimmed(expected));
  return *out;
}

// The source of the one cell after the changes.
std::string Changed(std::string_view source, std::initializer_list<Change> changes) {
  const std::string before = Nb(CodeCell("@"));
  const std::size_t at = before.find('@');
  std::string raw = before;
  const std::string out = Rewritten(raw.replace(at, 1, source), changes);
  const std::string_view rest = std::string_view(before).substr(at + 1);
  CHECK(out.starts_with(before.substr(0, at)));
  CHECK(out.ends_with(rest));
  return out.substr(at, out.size() - at - rest.size());
}

TEST_CASE("only the touched string changes") {
  std::string expected(kSmall);
  expected.replace(expected.find("y = 1"), 5, R"(y = \"2\")");
  CHECK(Rewritten(std::string(kSmall), {{"y = 1", "y = \"2\""}}) == expected);
  CHECK(Rewritten(std::string(kSmall), {}) == kSmall);
}

TEST_CASE("a new line is a new string, laid out like the others") {
  std::string expected(kSmall);
  expected.replace(expected.find("    \"x ="), 4, "    \"import os\\n\",\n    ");
  CHECK(Rewritten(std::string(kSmall), {{"x = \"", "import os\nx = \""}}) == expected);
  CHECK(Changed(R"(["a\n", "b"])", {{"b", "c\nd"}}) == R"(["a\n", "c\n", "d"])");
  CHECK(Changed(R"(["a\n","b"])", {{"a\n", "a\nc\nd\n"}}) == R"(["a\n","c\n","d\n","b"])");
  CHECK(Changed("[\n    \"a\"\n   ]", {{"a", "b\na"}}) == "[\n    \"b\\n\",\n    \"a\"\n   ]");
  CHECK(Changed(R"("a\nb")", {{"b", "c\nd"}}) == R"("a\nc\nd")");
}

TEST_CASE("a line that goes takes its comma along") {
  CHECK(Changed(R"(["a\n", "b\n", "c"])", {{"a\n", ""}}) == R"(["b\n", "c"])");
  CHECK(Changed(R"(["a\n", "b\n", "c"])", {{"b\n", ""}}) == R"(["a\n", "c"])");
  CHECK(Changed(R"(["a\n", "b\n", "c"])", {{"c", ""}}) == R"(["a\n", "b\n"])");
  CHECK(Changed(R"(["a\n", "b\n", "c"])", {{"a\nb\nc", ""}}) == "[]");
  CHECK(Changed("[\n \"a\"\n]", {{"a", ""}}) == "[]");
  CHECK(Changed(R"("a")", {{"a", ""}}) == R"("")");
}

TEST_CASE("lines grow together") {
  CHECK(Changed(R"(["a\n", "b\n", "c"])", {{"\nb\n", ""}}) == R"(["ac"])");
  CHECK(Changed(R"(["a\n", "b\n", "c"])", {{"a", "x"}, {"\nb", ""}}) == R"(["x\n", "c"])");
  CHECK(Changed(R"(["a\n", "b\n", "c\n", "d"])", {{"a\n", ""}, {"b\n", ""}, {"d", "e"}}) ==
        R"(["c\n", "e"])");
}

TEST_CASE("the line end that a cell was given is not written down") {
  CHECK(Changed(R"(["a\n", "b"])", {{"b\n", "c\n"}}) == R"(["a\n", "c"])");
  CHECK(Changed(R"(["a\n", "b"])", {{"b\n", ""}}) == R"(["a\n"])");
  const Source source = OpenNotebook(Nb(CodeCell(R"(["a"])")));
  const std::vector<Notebook::Edit> at_end = {{{2, 2}, "b\n"}};
  CHECK(*source.notebook()->Rewrite(at_end) == Nb(CodeCell(R"(["a\n", "b"])")));
}

TEST_CASE("escapes stay as they are written, new text is escaped as the file does it") {
  CHECK(Changed(R"(["\u0061 \u00e9\/\t\n", "b"])", {{"/", "/é\x01\x7f\"\\\t"}}) ==
        R"(["\u0061 \u00e9/\u00e9\u0001)"
        "\x7f"
        R"(\"\\\t\t\n", "b"])");
  CHECK(Changed(R"("b # \u00e9")", {{"b", "😀"}}) == R"("\ud83d\ude00 # \u00e9")");
  CHECK(Changed(R"("b # ü\u00e9")", {{"b", "😀"}}) == R"("😀 # ü\u00e9")");
  CHECK(Changed(R"("b # \\u00e9")", {{"b", "é"}}) == R"("é # \\u00e9")");
  CHECK(Changed(R"(["a = '\\n", "'\n", "b"])", {{"a", "c"}}) == R"(["c = '\\n'\n", "b"])");
}

TEST_CASE("an empty cell is filled as the file is laid out") {
  const auto filled = [](std::string raw) {
    const Source source = OpenNotebook(std::move(raw));
    return *source.notebook()->Rewrite(std::vector<Notebook::Edit>{{{0, 0}, "x\ny"}});
  };
  CHECK(filled(Nb(CodeCell("[]"))) == Nb(CodeCell(R"(["x\n", "y"])")));
  CHECK(filled(Nb(CodeCell("[]") + "," + CodeCell(R"(["a\n","b"])"))) ==
        Nb(CodeCell(R"(["x\n","y"])") + "," + CodeCell(R"(["a\n","b"])")));
  const std::string begin =
      "{\r\n\t\"nbformat\": 4, \"cells\": [{\"cell_type\": \"code\",\r\n    \"source\": [";
  CHECK(filled(begin + "]}]}") == begin + "\r\n    \t\"x\\n\",\r\n    \t\"y\"\r\n    ]}]}");
}

TEST_CASE("an edit over two cells is refused") {
  const Source source = OpenNotebook(std::string(kSmall));
  CHECK(!Try(source, {{"1\nif", ""}}));
  CHECK(!OpenNotebook(Nb("")).notebook()->Rewrite(std::vector<Notebook::Edit>{{{0, 0}, "x"}}));
}

}  // namespace
}  // namespace torchleak::text
