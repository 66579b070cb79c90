#include "report/page_text.h"

#include <string>

#include <doctest/doctest.h>

namespace torchleak::report {
namespace {

constexpr std::string_view kPage =
    "# TLK101 name\n\n## What it finds\nA **kept** `loss`,\nsee [docs](https://a.b/c).\n\n"
    "### Detail\nmore\n\n## Bad\n```python\n# What it finds\nxs[0](y)\n\nz\n```\n";

TEST_CASE("a page becomes plain text") {
  CHECK(PlainText(kPage) ==
        "TLK101 name\n\nWhat it finds\nA kept loss,\nsee docs (https://a.b/c).\n\nDetail\nmore\n\n"
        "Bad\n    # What it finds\n    xs[0](y)\n\n    z");
  CHECK(PlainText("") == "");
  CHECK(PlainText("a [b] `c [d](e)` [f") == "a [b] c [d](e) [f");
  CHECK(PlainText("#hashtag\r\n####### seven\r\n") == "#hashtag\n####### seven");
}

TEST_CASE("a section ends at the next heading of its level") {
  CHECK(Section(kPage, "What it finds") ==
        "A **kept** `loss`,\nsee [docs](https://a.b/c).\n\n### Detail\nmore");
  CHECK(Section(kPage, "Detail") == "more");
  CHECK(Section(kPage, "Bad") == "```python\n# What it finds\nxs[0](y)\n\nz\n```");
  CHECK(Section(kPage, "Good") == "");
  CHECK(Section("", "Bad") == "");
}

TEST_CASE("text is shortened after a sentence or a word") {
  CHECK(Shorten("short", 10) == "short");
  CHECK(Shorten("exactly10!", 10) == "exactly10!");
  CHECK(Shorten("First one here. Second one", 20) == "First one here.");
  CHECK(Shorten("A. words that go on and on", 15) == "A. words that…");
  CHECK(Shorten("文文文文文文", 4) == "文文文…");
}

TEST_CASE("sentences") {
  CHECK(Sentence("the file is gone") == "The file is gone.");
  CHECK(Sentence("`x` is kept.") == "`x` is kept.");
  CHECK(Sentence("x.y is kept") == "x.y is kept.");
  CHECK(Sentence("") == ".");
  CHECK(Requoted("`a` and `b`") == "'a' and 'b'");
}

}  // namespace
}  // namespace torchleak::report
