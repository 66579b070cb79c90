#include "report/disk_edit.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/unit/report/builder.h"
#include "text/notebook.h"

namespace torchleak::report {
namespace {

// One cell; `source` is JSON.
std::string Cell(std::string_view source) {
  return R"({"cells":[{"cell_type":"code","id":"a","metadata":{},"outputs":[],"source":)" +
         std::string(source) + R"(}],"metadata":{},"nbformat":4,"nbformat_minor":5})";
}

findings::Fix FixOf(std::vector<findings::Edit> edits) {
  return {findings::Applicability::kSafe, "do", std::move(edits)};
}

TEST_CASE("edits of Python files stay what they are") {
  Builder builder;
  builder.AddFile("a.py", "é = f(x)\ny = 2\n");
  builder.AddFile("b.py", "z = 3\n");
  auto& finding = builder.Add("a.py", {});
  finding.fix = FixOf({{{"", builder.Find("a.py", "2")}, "3"},
                       {{"b.py", builder.Find("b.py", "3")}, "4"},
                       {{"", builder.Find("a.py", "x")}, "(x)"}});
  const auto edits = DiskEdits(builder.Input(), finding);
  REQUIRE(edits.size() == 3);  // by file, then by position
  CHECK(edits[0].content == "(x)");
  CHECK(edits[0].region.begin.column == 7);
  CHECK(edits[0].region.begin.byte_column == 8);
  CHECK(edits[1].content == "3");
  CHECK(edits[2].path == "b.py");
  CHECK(JoinedDiskEdit(builder.Input(), finding).empty());  // two files
  finding.fix->edits.erase(finding.fix->edits.begin() + 1);
  const auto joined = JoinedDiskEdit(builder.Input(), finding);
  REQUIRE(joined.size() == 1);
  CHECK(joined[0].content == "(x))\ny = 3");
}

TEST_CASE("edits that overlap, or of a file that is gone, are none") {
  Builder builder;
  builder.AddFile("a.py", "f(x)\n");
  auto& finding = builder.Add("a.py", {});
  finding.fix = FixOf({{{"", {0, 3}}, "g"}, {{"", {2, 4}}, "h"}});
  CHECK(DiskEdits(builder.Input(), finding).empty());
  finding.fix = FixOf({{{"gone.py", {0, 3}}, "g"}});
  CHECK(DiskEdits(builder.Input(), finding).empty());
  CHECK(JoinedDiskEdit(builder.Input(), finding).empty());
}

TEST_CASE("edits of a notebook are edits of its JSON") {
  Builder builder;
  const std::string raw = Cell(R"json(["x = \"é\"\n","f(x)"])json");
  const text::Source& source = builder.AddFile("n.ipynb", raw);
  auto& finding = builder.Add("n.ipynb", {});
  finding.fix = FixOf({{{"", builder.Find("n.ipynb", "f(x)")}, "g(\"a\")"}});
  const auto edits = DiskEdits(builder.Input(), finding);
  REQUIRE(edits.size() == 1);
  const DiskRegion region = edits[0].region;
  CHECK(region.begin.row == 1);
  std::string changed = raw;
  changed.replace(region.begin.byte_column - 1, region.end.byte_column - region.begin.byte_column,
                  edits[0].content);
  const std::vector<text::Notebook::Edit> python = {{builder.Find("n.ipynb", "f(x)"), "g(\"a\")"}};
  CHECK(changed == *source.notebook()->Rewrite(python));
  CHECK(region.begin.byte_column == region.begin.utf16_column + 1);  // the é
}

TEST_CASE("edits of a notebook that meet in one string become one") {
  Builder builder;
  const std::string raw = Cell(R"(["ab"])");
  builder.AddFile("n.ipynb", raw);
  auto& finding = builder.Add("n.ipynb", {});
  finding.fix = FixOf({{{"", {0, 1}}, "x\n"}, {{"", {1, 2}}, "y\n"}});
  const auto edits = DiskEdits(builder.Input(), finding);
  REQUIRE(edits.size() == 1);
  std::string changed = raw;
  changed.replace(edits[0].region.begin.byte_column - 1,
                  edits[0].region.end.byte_column - edits[0].region.begin.byte_column,
                  edits[0].content);
  const auto again = text::Source::FromBytes("n.ipynb", changed);
  REQUIRE(static_cast<bool>(again));
  CHECK(again->bytes().substr(0, 4) == "x\ny\n");
}

}  // namespace
}  // namespace torchleak::report
