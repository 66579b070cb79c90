#include "cli/markdown.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace torchleak::cli {
namespace {

std::string Plain(std::string_view text, std::size_t width = 80) {
  return RenderMarkdown(text, width, false);
}

TEST_CASE("paragraphs are filled to the width") {
  CHECK(Plain("one two\nthree four five\n", 13) == "one two three\nfour five\n");
  CHECK(Plain("a verylongwordthatdoesnotfit b", 10) == "a\nverylongwordthatdoesnotfit\nb\n");
  CHECK(Plain("a\n\n\n\nb\n") == "a\n\nb\n");
}

TEST_CASE("width counts characters, not bytes") {
  CHECK(Plain("\u00e4\u00e4\u00e4 \u00f6\u00f6\u00f6 x", 7) ==
        "\u00e4\u00e4\u00e4 \u00f6\u00f6\u00f6\nx\n");
}

TEST_CASE("list items hang below their text") {
  CHECK(Plain("- one two three\n- four\n", 10) == "- one two\n  three\n- four\n");
  CHECK(Plain("12. one two three\n", 11) == "12. one two\n    three\n");
  CHECK(Plain("- a\n  b\n") == "- a b\n");
}

TEST_CASE("code is set in and never filled") {
  CHECK(Plain("x\n```python\nfor a in b:\n    # not a heading\n\n```\ny\n") ==
        "x\n    for a in b:\n        # not a heading\n    \ny\n");
}

TEST_CASE("headings, emphasis, code and links lose their marks, or turn into style") {
  CHECK(Plain("## Why *it* costs\n") == "Why *it* costs\n");
  CHECK(Plain("a **bold** and *slanted* word, `x = 1`, 2 * 3 * 4") ==
        "a bold and slanted word, `x = 1`, 2 * 3 * 4\n");
  CHECK(Plain("see [the docs](https://x.y/z).") == "see the docs (https://x.y/z).\n");
  CHECK(Plain("a[i](x") == "a[i](x\n");
  std::string styled = RenderMarkdown("a **b c** `d`", 80, true);
  CHECK(styled == "a \x1b[1mb\x1b[0m \x1b[1mc\x1b[0m \x1b[36md\x1b[0m\n");
}

TEST_CASE("tables and CRLF") {
  CHECK(Plain("| a | b |\r\n|---|---|\r\n") == "| a | b |\n|---|---|\n");
}

TEST_CASE("anything at all ends and stays within bounds") {
  for (std::string_view text : {"`", "**", "*", "[", "[]()", "```", "- ", "#", "1. ", "\n", "|"}) {
    CHECK_NOTHROW(Plain(text));
  }
}

}  // namespace
}  // namespace torchleak::cli
