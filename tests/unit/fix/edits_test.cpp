#include "fix/edits.h"

#include <doctest/doctest.h>

namespace torchleak::fix {
namespace {

Edits Checked(std::string_view text, Edits edits) {
  auto normalized = Normalized(text, std::move(edits));
  REQUIRE(normalized);
  return *normalized;
}

TEST_CASE("an edit shrinks to what it changes") {
  const Edits edits = Checked("a = loss\n", {{{4, 8}, "loss.item()"}, {{0, 1}, "a"}});
  REQUIRE(edits.size() == 1);
  CHECK(edits[0].span == text::Span{8, 8});
  CHECK(edits[0].content == ".item()");
  CHECK(Applied("a = loss\n", edits) == "a = loss.item()\n");
}

TEST_CASE("shrinking splits neither characters nor line ends") {
  // U+00FC and U+00FD share their first byte.
  Edits edits = Checked("\xC3\xBC", {{{0, 2}, "\xC3\xBD"}});
  CHECK(edits[0].span == text::Span{0, 2});
  edits = Checked("x\r\ny\r\n", {{{1, 3}, "\r"}});  // becomes \r\n: nothing to do
  CHECK(edits.empty());
  CHECK_FALSE(Normalized("x\r\ny", {{{2, 2}, "z"}}));
  CHECK_FALSE(Normalized("\xC3\xBC", {{{1, 1}, "z"}}));
}

TEST_CASE("line ends become those of the place") {
  const std::string text = "a\r\nb\nc";
  CHECK(Applied(text, Checked(text, {{{0, 0}, "import torch\n"}})) == "import torch\r\n" + text);
  CHECK(Applied(text, Checked(text, {{{3, 3}, "x\n"}})) == "a\r\nx\nb\nc");
  CHECK(Applied(text, Checked(text, {{{6, 6}, "\r\nd"}})) == "a\r\nb\nc\nd");
  CHECK(Applied("a\rb\r", Checked("a\rb\r", {{{2, 2}, "x\n"}})) == "a\rx\rb\r");
  CHECK(Applied("", Checked("", {{{0, 0}, "x\n"}})) == "x\n");
}

TEST_CASE("edits outside of the text or over each other are refused") {
  CHECK_FALSE(Normalized("abc", {{{2, 4}, "x"}}));
  CHECK_FALSE(Normalized("abc", {{{2, 1}, "x"}}));
  CHECK_FALSE(Normalized("abcdef", {{{0, 4}, "xyzw"}, {{2, 6}, "uvwx"}}));
  CHECK(Normalized("abcdef", {{{3, 6}, "uvw"}, {{0, 3}, "xyz"}}));  // neighbours
}

TEST_CASE("places move with what is inserted before them") {
  const std::string text = "a\nloss\nb\n";
  const Edits edits = Checked(text, {{{2, 6}, "with torch.no_grad():\n    loss"}});
  CHECK(MovedOffset(0, edits) == 0);
  CHECK(MovedOffset(2, edits) == 2 + 26);
  CHECK(MovedOffset(7, edits) == 7 + 26);
  CHECK(MovedOffset(4, Checked("0123456789", {{{2, 8}, "x"}})) == 3);
  CHECK(MovedOffset(9, Checked("0123456789", {{{2, 8}, ""}})) == 3);
}

}  // namespace
}  // namespace torchleak::fix
