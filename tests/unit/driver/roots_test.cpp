#include "driver/roots.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/unit/driver/temp_tree.h"

namespace torchleak::driver {
namespace {

using Paths = std::vector<std::string>;

Paths Roots(const TempTree& tree, Paths files, Paths given, const std::string& working_directory) {
  for (std::string& file : files) file = tree.Path(file);
  for (std::string& folder : given) folder = tree.Path(folder);
  return ImportRoots(files, given, tree.Path(working_directory));
}

TEST_CASE("the nearest folder with .git is the root, wherever one stands") {
  TempTree tree;
  tree.MakeFolder("work/a/.git");
  tree.Write("work/a/third_party/b/.git");  // a file: a worktree or a submodule
  CHECK(Roots(tree, {"work/a/pkg/x.py"}, {"work"}, "work") == Paths{tree.Path("work/a")});
  CHECK(Roots(tree, {"work/a/pkg/x.py"}, {}, "elsewhere") == Paths{tree.Path("work/a")});
  CHECK(Roots(tree, {"work/a/pkg/x.py", "work/a/third_party/b/y.py"}, {"work"}, "work") ==
        Paths{tree.Path("work/a"), tree.Path("work/a/third_party/b")});
}

TEST_CASE("without .git: the working directory when the file is below it") {
  TempTree tree;
  tree.Write("work/pkg/pyproject.toml");
  CHECK(Roots(tree, {"work/pkg/sub/x.py"}, {"work/pkg/sub"}, "work") == Paths{tree.Path("work")});
  CHECK(Roots(tree, {"work/x.py"}, {"work/x.py"}, "work") == Paths{tree.Path("work")});
  // A folder whose name only begins like it is another one.
  CHECK(Roots(tree, {"workshop/x.py"}, {}, "work") == Paths{tree.Path("workshop")});
}

TEST_CASE("outside of it: the folder that was given, else the project's, else the package's") {
  TempTree tree;
  tree.Write("lib/setup.py");
  tree.Write("lib/pkg/__init__.py");
  tree.Write("lib/pkg/sub/__init__.py");
  CHECK(Roots(tree, {"lib/pkg/sub/x.py"}, {"lib"}, "work") == Paths{tree.Path("lib")});
  // A package that was given by hand belongs to the folder that holds it.
  CHECK(Roots(tree, {"lib/pkg/sub/x.py"}, {"lib/pkg/sub"}, "work") == Paths{tree.Path("lib")});
  CHECK(Roots(tree, {"lib/pkg/sub/x.py"}, {}, "work") == Paths{tree.Path("lib")});
  tree.Write("loose/pkg/__init__.py");
  CHECK(Roots(tree, {"loose/pkg/x.py", "loose/y.py"}, {}, "work") == Paths{tree.Path("loose")});
}

TEST_CASE("a file's root depends on no other file, and the order does not matter") {
  TempTree tree;
  tree.MakeFolder("a/.git");
  tree.Write("b/pyproject.toml");
  const Paths both = Roots(tree, {"a/x.py", "b/sub/y.py"}, {}, "work");
  CHECK(both == Paths{tree.Path("a"), tree.Path("b")});
  CHECK(Roots(tree, {"b/sub/y.py", "a/x.py"}, {}, "work") == both);
  CHECK(Roots(tree, {"b/sub/y.py"}, {}, "work") == Paths{tree.Path("b")});
  CHECK(Roots(tree, {}, {}, "work").empty());
}

}  // namespace
}  // namespace torchleak::driver
