#include "report/place.h"

#include <doctest/doctest.h>

#include "tests/unit/report/builder.h"

namespace torchleak::report {
namespace {

TEST_CASE("paths below the root are shown relative to it") {
  CHECK(DisplayPath("/repo/src/a.py", "/repo") == "src/a.py");
  CHECK(DisplayPath("./src/../a.py", "/repo") == "a.py");
  CHECK(DisplayPath("/repository/a.py", "/repo") == "/repository/a.py");
  CHECK(DisplayPath("/a.py", "/") == "a.py");
  CHECK(DisplayPath("/a.py", "") == "/a.py");
  CHECK(DisplayPath("-", "/repo") == "-");
}

TEST_CASE("absolute paths are made from the root") {
  CHECK(AbsolutePath("src/a.py", "/repo") == "/repo/src/a.py");
  CHECK(AbsolutePath("../b.py", "/repo") == "/b.py");
  CHECK(AbsolutePath("/x/./a.py", "/repo") == "/x/a.py");
  CHECK(AbsolutePath("-", "/repo") == "-");
}

TEST_CASE("URIs are percent-encoded") {
  CHECK(RelativeUri("a b/c#d%.py") == "a%20b/c%23d%25.py");
  CHECK(RelativeUri("c:x.py") == "c%3Ax.py");
  CHECK(RelativeUri("d\xC3\xA9j\xC3\xA0.py") == "d%C3%A9j%C3%A0.py");
  CHECK(FileUri("/repo/a?.py") == "file:///repo/a%3F.py");
  CHECK(DirectoryUri("/repo") == "file:///repo/");
  CHECK(DirectoryUri("/") == "file:///");
}

TEST_CASE("a place is clamped to its source") {
  Builder builder;
  builder.AddFile("a.py", "x = 1\n");
  const auto& finding = builder.Add("a.py", {2, 500});
  const Place place = PlaceOf(builder.Input(), finding, finding.location);
  CHECK(place.span == text::Span{2, 6});
  const Place behind = PlaceOf(builder.Input(), finding, {"", {90, 80}});
  CHECK(behind.span == text::Span{6, 6});
  CHECK(behind.path == "a.py");
}

TEST_CASE("a place without source is at 1:1") {
  Builder builder;
  const auto& finding = builder.Add("gone.py", {2, 5});
  const Place place = PlaceOf(builder.Input(), finding, finding.location);
  CHECK(place.source == nullptr);
  CHECK(place.begin == text::Position{1, 1});
  CHECK(FirstLineOf(place).end == text::Position{1, 1});
}

TEST_CASE("the first line of a place ends before its line end") {
  Builder builder;
  builder.AddFile("a.py", "f(\r\n  1)\n");
  const auto& finding = builder.Add("a.py", {0, 8});
  const Place cut = FirstLineOf(PlaceOf(builder.Input(), finding, finding.location));
  CHECK(cut.span == text::Span{0, 2});
  CHECK(cut.end == text::Position{1, 3});
  // A span that begins on the line end.
  const Place on_end = FirstLineOf(PlaceOf(builder.Input(), finding, {"", {2, 8}}));
  CHECK(on_end.begin.row == 1);
  CHECK(on_end.end.row == 1);
}

}  // namespace
}  // namespace torchleak::report
