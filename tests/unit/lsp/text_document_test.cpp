#include "lsp/text_document.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace torchleak::lsp {
namespace {

TextDocument Open(std::string text) {
  return TextDocument({"file:///a/%78.py", "python", std::move(text), 1});
}

ContentChange Change(Position start, Position end, std::string text) {
  return {Range{start, end}, std::move(text)};
}

TEST_CASE("a document keeps the spelling of its URI, and has a key") {
  const TextDocument document = Open("x");
  CHECK(document.uri() == "file:///a/%78.py");
  CHECK(document.key() == "/a/x.py");
  CHECK(document.is_file());
  const TextDocument untitled({"untitled:Untitled-1", "python", "", 1});
  CHECK_FALSE(untitled.is_file());
  CHECK(untitled.key() == "untitled:Untitled-1");
}

TEST_CASE("edits are made in order, each in the text that the one before left") {
  TextDocument document = Open("a😀b\nc\n");
  const std::vector<ContentChange> changes = {
      Change({0, 1}, {0, 3}, "--\n"), Change({1, 1}, {2, 0}, "!"), Change({1, 2}, {1, 2}, "?")};
  const Applied applied = document.Apply(2, changes, PositionEncoding::kUtf16);
  CHECK(document.text() == "a--\nb!?c\n");
  CHECK(document.version() == 2);
  CHECK(applied.complaints.empty());
  const std::vector<AppliedEdit> edits = {{1, 5, 4}, {5, 6, 6}, {6, 6, 7}};
  CHECK(applied.edits == edits);
  CHECK(document.lines().count() == 3);
  CHECK(document.RangeAt(4, 5, PositionEncoding::kUtf16) == Range{{1, 0}, {1, 1}});
}

TEST_CASE("a full text, alone and among edits") {
  TextDocument document = Open("old\ntext");
  const std::vector<ContentChange> changes = {
      Change({0, 0}, {0, 3}, "x"), {std::nullopt, "new\n"}, Change({1, 0}, {1, 0}, "y")};
  CHECK(document.Apply(2, changes, PositionEncoding::kUtf16).complaints.empty());
  CHECK(document.text() == "new\ny");
}

TEST_CASE("what is out of range is clamped, and logged") {
  const auto apply = [](ContentChange change, std::string* text) {
    TextDocument document = Open("ab\ncd");
    const Applied applied =
        document.Apply(2, std::vector{std::move(change)}, PositionEncoding::kUtf16);
    *text = document.text();
    return applied.complaints;
  };
  std::string text;
  CHECK(apply(Change({9, 0}, {9, 9}, "!"), &text).size() == 1);
  CHECK(text == "ab\ncd!");
  CHECK(apply(Change({0, 9}, {1, 0}, "!"), &text).size() == 1);
  CHECK(text == "ab!cd");
  CHECK(apply(Change({1, 1}, {0, 1}, "!"), &text).size() == 1);
  CHECK(text == "a!d");
  CHECK(apply(Change({0, 0}, {99, 99}, "!"), &text).empty());  // how editors say "all"
  CHECK(text == "!");
}

TEST_CASE("versions out of order are logged, and their edits made") {
  TextDocument document = Open("a");
  CHECK(document.Apply(5, std::vector{Change({0, 1}, {0, 1}, "b")}, PositionEncoding::kUtf16)
            .complaints.empty());
  CHECK(document.Apply(5, std::vector{Change({0, 2}, {0, 2}, "c")}, PositionEncoding::kUtf16)
            .complaints.size() == 1);
  CHECK(document.Apply(3, std::vector<ContentChange>{{std::nullopt, "z"}}, PositionEncoding::kUtf16)
            .complaints.size() == 1);
  CHECK(document.text() == "z");
  CHECK(document.version() == 3);
}

TEST_CASE("a mark at the begin is counted") {
  const TextDocument document = Open("\uFEFFa");
  CHECK(document.mark_size() == 3);
  CHECK(document.PositionAt(3, PositionEncoding::kUtf16) == Position{0, 1});
  CHECK(Open("a").mark_size() == 0);
}

}  // namespace
}  // namespace torchleak::lsp
