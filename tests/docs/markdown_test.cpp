#include "markdown.h"

#include <doctest/doctest.h>

#include "files.h"

namespace torchleak::tests {
namespace {

constexpr std::string_view kDocument = R"md(# A `title`, and more
[one](a.md#x) and [two](../b.md), not `[three](c.md)`
```console
$ torchleak [four](d.md)
# no heading
```
<img src="e.svg" width="10">
)md";

TEST_CASE("links are found outside of code only") {
  const std::vector<Link> links = Links(Lines(kDocument));
  REQUIRE_EQ(links.size(), 3);
  CHECK_EQ(links[0].target, "a.md#x");
  CHECK_EQ(links[1].target, "../b.md");
  CHECK_EQ(links[2].target, "e.svg");
  CHECK_EQ(links[2].row, 7);
}

TEST_CASE("fences and headings") {
  const std::vector<std::string> lines = Lines(kDocument);
  const std::vector<Fence> fences = Fences(lines);
  REQUIRE_EQ(fences.size(), 1);
  CHECK_EQ(fences[0].language, "console");
  CHECK_EQ(lines[fences[0].first], "$ torchleak [four](d.md)");
  CHECK_EQ(fences[0].last, 5);
  CHECK_EQ(Anchors(lines), std::vector<std::string>{"a-title-and-more"});
}

}  // namespace
}  // namespace torchleak::tests
