#include "text/source.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "text/notebook.h"

namespace torchleak::text {
namespace {

Source Make(std::string raw) {
  Result<Source> source = Source::FromBytes("a.py", std::move(raw));
  REQUIRE(source);
  return *source;
}

void CheckAt(const Source& source, std::uint32_t offset, std::uint32_t row, std::uint32_t column) {
  CAPTURE(offset);
  CHECK(source.PositionOf(offset).row == row);
  CHECK(source.PositionOf(offset).column == column);
  CHECK(source.OffsetOf({row, column}) == offset);
}

TEST_CASE("an empty file has one empty line") {
  const Source source = Make("");
  CHECK(source.path() == "a.py");
  CHECK(source.bytes().empty());
  CHECK(source.line_count() == 1);
  CHECK(source.Line(1).empty());
  CheckAt(source, 0, 1, 1);
}

TEST_CASE("a last line end opens an empty line") {
  const Source source = Make("a\n");
  CHECK(source.line_count() == 2);
  CHECK(source.Line(1) == "a");
  CHECK(source.Line(2).empty());
  CheckAt(source, 2, 2, 1);
}

TEST_CASE("line ends: \\n, \\r\\n, lone \\r, and all of them mixed") {
  SUBCASE("feed") {
    const Source source = Make("ab\ncd\n\nx");
    CHECK(source.line_count() == 4);
    CheckAt(source, 4, 2, 2);
    CHECK(source.Line(3).empty());
    CHECK(source.Line(4) == "x");
  }
  SUBCASE("both") {
    const Source source = Make("ab\r\ncd\r\n\r\nx");
    CHECK(source.line_count() == 4);
    CheckAt(source, 5, 2, 2);
    CHECK(source.Line(1) == "ab");
    CHECK(source.Line(3).empty());
    CHECK(source.LineSpan(1) == Span{0, 2});
  }
  SUBCASE("carriage return alone") {
    const Source source = Make("ab\rcd\r\rx");
    CHECK(source.line_count() == 4);
    CheckAt(source, 4, 2, 2);
    CHECK(source.Line(2) == "cd");
    CHECK(source.Line(3).empty());
  }
  SUBCASE("mixed") {
    const Source source = Make("a\n\rb\r\n\nc\r\r\nd\r");
    const std::vector<std::string_view> lines = {"a", "", "b", "", "c", "", "d", ""};
    REQUIRE(source.line_count() == lines.size());
    for (std::uint32_t row = 1; row <= lines.size(); ++row) {
      CAPTURE(row);
      CHECK(source.Line(row) == lines[row - 1]);
    }
  }
}

TEST_CASE("form feeds, vertical tabs and Unicode line separators end no line") {
  CHECK(Make("a\fb\vc\u2028d\u0085e").line_count() == 1);
}

TEST_CASE("columns count code points, UTF-16 columns count code units") {
  // é: 2 bytes; 日: 3 bytes; 😀: 4 bytes and two UTF-16 units.
  const Source source = Make("# é日😀x\ny");
  CheckAt(source, 2, 1, 3);
  CheckAt(source, 4, 1, 4);
  CheckAt(source, 7, 1, 5);
  CheckAt(source, 11, 1, 6);
  CheckAt(source, 12, 1, 7);
  CHECK(source.Utf16Column(7) == 5);
  CHECK(source.Utf16Column(11) == 7);
  CHECK(source.Utf16Column(12) == 8);
  CHECK(source.Utf16Column(13) == 1);
}

TEST_CASE("an offset inside a code point stands for the code point") {
  const Source source = Make("a😀b");
  for (std::uint32_t offset = 1; offset < 5; ++offset) {
    CHECK(source.PositionOf(offset) == Position{1, 2});
    CHECK(source.Utf16Column(offset) == 2);
  }
}

TEST_CASE("a tab is one column") { CheckAt(Make("\tx"), 1, 1, 2); }

TEST_CASE("places outside the file are clamped") {
  const Source source = Make("ab\ncd");
  CHECK(source.PositionOf(1000) == Position{2, 3});
  CHECK(source.OffsetOf({1, 100}) == 2);
  CHECK(source.OffsetOf({100, 1}) == 3);
  CHECK(source.OffsetOf({0, 0}) == 0);
  CHECK(source.Line(0).empty());
  CHECK(source.Line(3).empty());
  CHECK(source.RowOf(1000) == 2);
}

TEST_CASE("every offset goes to a position and back") {
  const Source source = Make("a\r\n\tdéf\r  日😀 = 1\n\n# é\r\nlast");
  for (std::uint32_t offset = 0; offset <= source.bytes().size(); ++offset) {
    const bool inside = offset < source.bytes().size() &&
                        (static_cast<unsigned char>(source.bytes()[offset]) & 0xC0) == 0x80;
    const Span line = source.LineSpan(source.RowOf(offset));
    if (inside || offset > line.end) continue;  // within a code point or a line end
    CAPTURE(offset);
    CHECK(source.OffsetOf(source.PositionOf(offset)) == offset);
  }
}

TEST_CASE("text of a span") { CHECK(Make("x = loss").Text({4, 8}) == "loss"); }

TEST_CASE("a file above the limit is refused by name and size") {
  const Result<Source> source =
      Source::FromBytes("huge.py", std::string(Source::kMaxBytes + 1, ' '));
  REQUIRE_FALSE(source);
  CHECK(source.error().message == "huge.py: is 8.0 MiB; files above 8 MiB are not analyzed");
}

TEST_CASE("an editor's text is decoded already") {
  const auto text = [](std::string utf8) { return *Source::FromText("a.py", std::move(utf8)); };
  CHECK(text("# coding: latin-1\nx = '\u00e9'\n").bytes() == "# coding: latin-1\nx = '\u00e9'\n");
  CHECK(text("# coding: utf-7\nx = '\u00e9'\n").line_count() == 3);
  CHECK(text("x = '\xff'").bytes() == "x = '\uFFFD'");
  CHECK(text("\xFF\xFEx").bytes() == "\uFFFD\uFFFDx");
  CHECK_FALSE(Source::FromText("a.py", std::string("x\0y", 3)));
  CHECK_FALSE(Source::FromText("a.py", std::string(Source::kMaxBytes + 1, ' ')));
}

TEST_CASE("a dropped byte-order mark is told") {
  for (const auto& read : {&Source::FromText, &Source::FromBytes}) {
    const Source marked = *read("a.py", "\uFEFFx = 1\n");
    CHECK(marked.bytes() == "x = 1\n");
    CHECK(marked.dropped_mark() == 3);
    CHECK(marked.PositionOf(0) == Position{1, 1});
    CHECK(read("a.py", "\uFEFF\uFEFF")->bytes() == "\uFEFF");
    CHECK(read("a.py", "x")->dropped_mark() == 0);
    CHECK(read("a.py", "x\uFEFF")->bytes() == "x\uFEFF");
  }
}

TEST_CASE("a notebook's text is its JSON") {
  const std::string json = R"({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
    {"cell_type": "code", "source": "x = 1", "metadata": {}, "outputs": []}]})";
  for (const std::string mark : {"", "\uFEFF"}) {
    const Result<Source> source = Source::FromText("a.ipynb", mark + json);
    REQUIRE(source);
    CHECK(source->bytes() == "x = 1\n");
    CHECK(source->dropped_mark() == 0);
    REQUIRE(source->notebook() != nullptr);
    CHECK(source->notebook()->raw() == mark + json);
  }
  CHECK_FALSE(Source::FromText("a.ipynb", "x = 1"));
}

}  // namespace
}  // namespace torchleak::text
