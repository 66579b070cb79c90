#include "driver/ignore.h"

#include <doctest/doctest.h>

#include "tests/unit/driver/temp_tree.h"

namespace torchleak::driver {
namespace {

bool Ignored(std::string_view file, std::string_view path, bool is_directory = false) {
  return IgnoreFile(file).Matches(path, is_directory).value_or(false);
}

TEST_CASE("a pattern without a slash matches at any depth, one with a slash is anchored") {
  CHECK(Ignored("*.pb.py", "a/b/x.pb.py"));
  CHECK(Ignored("gen", "gen"));
  CHECK(Ignored("gen", "a/gen"));
  CHECK(Ignored("/gen", "gen"));
  CHECK_FALSE(Ignored("/gen", "a/gen"));
  CHECK(Ignored("a/gen", "a/gen"));
  CHECK_FALSE(Ignored("a/gen", "b/a/gen"));
  CHECK(Ignored("**/a/gen", "b/a/gen"));
}

TEST_CASE("a trailing slash matches directories only") {
  CHECK(Ignored("out/", "a/out", true));
  CHECK_FALSE(Ignored("out/", "a/out", false));
  CHECK(Ignored("a/out/", "a/out", true));
}

TEST_CASE("the last pattern that matches wins") {
  CHECK_FALSE(Ignored("*.py\n!keep.py\n", "keep.py"));
  CHECK(Ignored("*.py\n!keep.py\nkeep.py", "keep.py"));
  CHECK(IgnoreFile("!keep.py").Matches("keep.py", false) == std::optional<bool>(false));
  CHECK(IgnoreFile("other").Matches("keep.py", false) == std::nullopt);
}

TEST_CASE("comments, blanks, escapes, line ends, byte-order mark") {
  CHECK_FALSE(Ignored("# a.py\n\n   \n", "# a.py"));
  CHECK(Ignored("\\#a.py", "#a.py"));
  CHECK(Ignored("\\!a.py", "!a.py"));
  CHECK(Ignored("a.py   \n", "a.py"));
  CHECK(Ignored("a\\ ", "a "));
  CHECK(Ignored("a.py\r\nb.py\r\n", "a.py"));
  CHECK(
      Ignored("\xEF\xBB\xBF"
              "a.py",
              "a.py"));
  CHECK_FALSE(Ignored("/\n!\n!/\n", "a.py"));
}

TEST_CASE("nearer files beat farther ones") {
  TempTree tree;
  tree.Write(".gitignore", "*.py\n");
  tree.Write("pkg/.gitignore", "!keep.py\n");
  auto top = IgnoreLevel::Enter(nullptr, tree.root());
  auto inner = IgnoreLevel::Enter(top, tree.Path("pkg"));
  CHECK(top->Ignores(tree.Path("a.py"), false));
  CHECK_FALSE(inner->Ignores(tree.Path("pkg/keep.py"), false));
  CHECK(inner->Ignores(tree.Path("pkg/other.py"), false));
}

TEST_CASE(".ignore beats .gitignore, which beats .git/info/exclude") {
  TempTree tree;
  tree.Write(".git/info/exclude", "a.py\nb.py\nc.py\n");
  tree.Write(".gitignore", "!b.py\n!c.py\n");
  tree.Write(".ignore", "c.py\n");
  auto level = IgnoreLevel::Enter(nullptr, tree.root());
  CHECK(level->Ignores(tree.Path("a.py"), false));
  CHECK_FALSE(level->Ignores(tree.Path("b.py"), false));
  CHECK(level->Ignores(tree.Path("c.py"), false));
}

TEST_CASE("a repository inside another does not obey the outer .gitignore") {
  TempTree tree;
  tree.Write(".gitignore", "*.py\n");
  tree.Write("inner/.git/HEAD");
  auto outer = IgnoreLevel::Enter(nullptr, tree.root());
  auto inner = IgnoreLevel::Enter(outer, tree.Path("inner"));
  CHECK(outer->Ignores(tree.Path("a.py"), false));
  CHECK_FALSE(inner->Ignores(tree.Path("inner/a.py"), false));
}

TEST_CASE("levels above a folder count up to the root of its repository") {
  TempTree tree;
  tree.Write(".gitignore", "a.py\n");
  tree.Write("repo/.git/HEAD");
  tree.Write("repo/.gitignore", "b.py\n");
  tree.MakeFolder("repo/x/y");
  auto above = IgnoreLevel::Above(tree.Path("repo/x/y"));
  REQUIRE(above != nullptr);
  CHECK(above->Ignores(tree.Path("repo/x/y/b.py"), false));
  CHECK_FALSE(above->Ignores(tree.Path("repo/x/y/a.py"), false));
}

}  // namespace
}  // namespace torchleak::driver
