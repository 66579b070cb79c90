#include "report/marks.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace torchleak::report {
namespace {

using Lines = std::vector<std::string>;

Lines Draw(std::vector<Underline> underlines) {
  return MarkLines(std::move(underlines), Painter(false, false), Style::kError);
}

TEST_CASE("one mark, with and without label") {
  CHECK(Draw({{2, 5, true, ""}}) == Lines{"  ^^^"});
  CHECK(Draw({{0, 1, false, "1 here"}}) == Lines{"─ 1 here"});
  CHECK(Draw({}).empty());
}

TEST_CASE("labels that find no room beside stand below, from the right") {
  CHECK(Draw({{0, 2, false, "1 a"}, {4, 6, true, "2 b"}, {8, 9, false, "3 c"}}) ==
        Lines{"──  ^^  ─ 3 c", "│   │", "│   2 b", "1 a"});
  CHECK(Draw({{0, 2, false, "1 a"}, {4, 6, true, ""}}) == Lines{"──  ^^", "│", "1 a"});
}

TEST_CASE("marks that overlap or touch get lines of their own, the primary first") {
  CHECK(Draw({{3, 5, false, "1 a"}, {0, 8, true, "2 b"}}) == Lines{"^^^^^^^^ 2 b", "   ── 1 a"});
  CHECK(Draw({{0, 2, false, "1 a"}, {2, 4, true, "2 b"}}) == Lines{"  ^^ 2 b", "── 1 a"});
}

TEST_CASE("equal marks share an underline") {
  CHECK(Draw({{1, 3, false, "1 a"}, {1, 3, true, ""}, {1, 3, false, "2 b"}}) ==
        Lines{" ^^ 1 a, 2 b"});
}

TEST_CASE("colours do not move anything") {
  std::vector<Underline> underlines = {{0, 2, false, "1 a"}, {4, 6, true, "2 b"}};
  Lines lines = MarkLines(underlines, Painter(true, false), Style::kError);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "\x1b[36m──\x1b[0m  \x1b[1;31m^^\x1b[0m 2 b");
  CHECK(lines[1] == "\x1b[36m│\x1b[0m");
}

}  // namespace
}  // namespace torchleak::report
