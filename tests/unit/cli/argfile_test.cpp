#include "cli/argfile.h"

#include <doctest/doctest.h>

#include "tests/unit/driver/temp_tree.h"

namespace torchleak::cli {
namespace {

using Words = std::vector<std::string>;

Words Expanded(Words words) {
  auto result = ExpandArgfiles(std::move(words));
  return result ? *result : Words{"error", result.error().message};
}

TEST_CASE("an argument file stands for its lines, in place") {
  driver::TempTree tree;
  tree.Write("args", "--select\nTLK1\r\n\n  two words \n");
  CHECK(Expanded({"check", "@" + tree.Path("args"), "last"}) ==
        Words{"check", "--select", "TLK1", "  two words ", "last"});
  tree.Write("empty");
  CHECK(Expanded({"@" + tree.Path("empty")}).empty());
}

TEST_CASE("files may name files, but not without end") {
  driver::TempTree tree;
  tree.Write("inner", "a\nb");
  tree.Write("outer", "@" + tree.Path("inner") + "\nc\n");
  CHECK(Expanded({"@" + tree.Path("outer")}) == Words{"a", "b", "c"});
  tree.Write("self", "@" + tree.Path("self") + "\n");
  CHECK(Expanded({"@" + tree.Path("self")})[1].find("does one name itself?") != std::string::npos);
}

TEST_CASE("what is no argument file stays as it is") {
  CHECK(Expanded({"@", "a@b", "--", "@file"}) == Words{"@", "a@b", "--", "@file"});
}

TEST_CASE("a file that cannot be read is an error that names it") {
  CHECK(Expanded({"@/nowhere/at/all"})[1] ==
        "argument file /nowhere/at/all: No such file or directory");
}

}  // namespace
}  // namespace torchleak::cli
