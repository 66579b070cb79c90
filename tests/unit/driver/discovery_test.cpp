#include "driver/discovery.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/options.h"
#include "tests/unit/driver/temp_tree.h"

namespace torchleak::driver {
namespace {

std::vector<std::string> Found(const TempTree& tree, DiscoveryOptions options) {
  options.root = tree.root();
  std::vector<std::string> paths;
  for (const DiscoveredFile& file : Discover(options).files) {
    paths.push_back(DisplayPath(file.path, tree.root()));
  }
  return paths;
}

using Paths = std::vector<std::string>;

DiscoveryOptions All() {
  DiscoveryOptions options;
  options.paths = {"."};
  auto defaults = config::DefaultExcludes();
  options.excludes.assign(defaults.begin(), defaults.end());
  return options;
}

TEST_CASE("python files are found sorted, hidden ones too, and nothing else") {
  TempTree tree;
  for (auto path : {"b.py", "a/x.pyi", "a/y.py", ".hidden/z.py", "c.txt", "py", "d.pyc", "e.ipynb",
                    ".ipynb_checkpoints/e-checkpoint.ipynb"}) {
    tree.Write(path);
  }
  CHECK(Found(tree, All()) == Paths{".hidden/z.py", "a/x.pyi", "a/y.py", "b.py", "e.ipynb"});
}

TEST_CASE("default excludes and ignore files prune") {
  TempTree tree;
  for (auto path : {"a.py", ".venv/lib/b.py", "pkg/node_modules/c.py", "build/d.py", "gen/e.py",
                    "pkg/f.py", "pkg/g.py"}) {
    tree.Write(path);
  }
  tree.Write(".gitignore", "gen/\n");
  tree.Write("pkg/.ignore", "g.py\n");
  CHECK(Found(tree, All()) == Paths{"a.py", "pkg/f.py"});
  auto options = All();
  options.respect_gitignore = false;
  CHECK(Found(tree, options) == Paths{"a.py", "gen/e.py", "pkg/f.py", "pkg/g.py"});
}

TEST_CASE("a path given by hand is taken, whatever its name or the excludes") {
  TempTree tree;
  tree.Write("script", "#!/usr/bin/env python3\n");
  tree.Write("build/a.py");
  tree.Write(".gitignore", "build/\nscript\n");
  auto options = All();
  options.paths = {"script", "build/a.py", "build"};
  CHECK(Found(tree, options) == Paths{"build/a.py", "script"});
  options.force_exclude = true;
  CHECK(Found(tree, options) == Paths{"script"});
}

TEST_CASE("excludes are relative to the root when they hold a slash") {
  TempTree tree;
  for (auto path : {"a/gen/x.py", "gen/y.py", "a/z_pb2.py", "keep.py"}) tree.Write(path);
  auto options = All();
  options.excludes = {"./a/gen", "*_pb2.py"};
  CHECK(Found(tree, options) == Paths{"gen/y.py", "keep.py"});
  options.excludes = {tree.Path("gen"), "a/**/*.py"};
  CHECK(Found(tree, options) == Paths{"keep.py"});
}

TEST_CASE("each file is listed once") {
  TempTree tree;
  tree.Write("a/x.py");
  auto options = All();
  options.paths = {"a", "./a/x.py", ".", "a/../a", tree.Path("a/x.py")};
  CHECK(Found(tree, options) == Paths{"a/x.py"});
}

TEST_CASE("links to directories are not followed, links to files are, dangling ones are no news") {
  TempTree tree;
  tree.Write("a/x.py");
  tree.Link("..", "a/loop");
  tree.Link("self.py", "self.py");
  tree.Link("nowhere.py", "dangling.py");
  tree.Link("a/x.py", "link.py");
  CHECK(Found(tree, All()) == Paths{"a/x.py", "link.py"});
  auto options = All();
  options.root = tree.root();
  CHECK(Discover(options).notifications.empty());
  options.paths = {"a/loop"};  // given by hand: followed once
  CHECK(Found(tree, options) == Paths{"a/loop/a/x.py", "a/loop/link.py"});
}

TEST_CASE("a pipe named like a Python file is not opened") {
  TempTree tree;
  REQUIRE(mkfifo(tree.Path("pipe.py").c_str(), 0600) == 0);
  CHECK(Found(tree, All()).empty());
}

TEST_CASE("missing paths are errors, the others are still found") {
  TempTree tree;
  tree.Write("a.py");
  tree.Link("self.py", "self.py");
  auto options = All();
  options.root = tree.root();
  options.paths = {"nope", "a.py", "a.py/b", "self.py"};
  Discovery found = Discover(options);
  CHECK(found.files.size() == 1);
  REQUIRE(found.notifications.size() == 3);
  CHECK(found.notifications[0] == Notification{"a.py/b", "no such file or directory"});
  CHECK(found.notifications[1] == Notification{"nope", "no such file or directory"});
  CHECK(found.notifications[2].path == "self.py");
}

TEST_CASE("a directory that may not be read is an error, the rest is found") {
  TempTree tree;
  tree.Write("a.py");
  tree.Write("locked/b.py");
  REQUIRE(chmod(tree.root().c_str(), 0755) == 0);
  REQUIRE(chmod(tree.Path("locked").c_str(), 0) == 0);
  bool was_root = geteuid() == 0;
  constexpr uid_t kNobody = 65534;
  if (was_root) REQUIRE(seteuid(kNobody) == 0);
  auto options = All();
  options.root = tree.root();
  Discovery found = Discover(options);
  if (was_root) REQUIRE(seteuid(0) == 0);
  REQUIRE(chmod(tree.Path("locked").c_str(), 0755) == 0);
  CHECK(found.files.size() == 1);
  REQUIRE(found.notifications.size() == 1);
  CHECK(found.notifications[0] == Notification{"locked", "cannot be read: permission denied"});
}

TEST_CASE("paths are shown relative to the root when below it") {
  CHECK(DisplayPath("/repo/src/a.py", "/repo") == "src/a.py");
  CHECK(DisplayPath("/repository/a.py", "/repo") == "/repository/a.py");
  CHECK(DisplayPath("/a.py", "/") == "a.py");
  CHECK(DisplayPath("/b", "/repo") == "/b");
  CHECK(AbsolutePath("../x/./a.py", "/repo") == "/x/a.py");
  CHECK(AbsolutePath("src/", "/repo") == "/repo/src");
  CHECK(AbsolutePath("/", "/repo") == "/");
  CHECK(AbsolutePath(".", "/repo") == "/repo");
}

TEST_CASE("each folder has the excludes of its own configuration") {
  TempTree tree;
  for (auto path : {"a.py", "gen/b.py", "p/c.py", "p/gen/d.py", "p/out/e.py", "build/f.py"}) {
    tree.Write(path);
  }
  tree.Write("torchleak.toml", "extend-exclude = ['gen']");
  tree.Write("p/torchleak.toml", "exclude = ['/out']");
  auto index = config::SettingsIndex::Create({.root = tree.root()});
  REQUIRE(index);
  DiscoveryOptions options = All();
  options.settings = index->get();
  CHECK(Found(tree, options) == Paths{"a.py", "p/c.py", "p/gen/d.py"});
  options.paths = {"p/out/e.py", "gen/b.py", "p/gen"};
  CHECK(Found(tree, options) == Paths{"gen/b.py", "p/gen/d.py", "p/out/e.py"});
  options.force_exclude = true;
  CHECK(Found(tree, options) == Paths{"p/gen/d.py"});
}

TEST_CASE("a configuration that cannot be read ends the walk") {
  TempTree tree;
  tree.Write("a.py");
  tree.Write("p/torchleak.toml", "nonsense = 1");
  tree.Write(".venv/torchleak.toml", "nonsense = 1");  // never entered
  auto index = config::SettingsIndex::Create({.root = tree.root()});
  REQUIRE(index);
  DiscoveryOptions options = All();
  options.root = tree.root();
  options.settings = index->get();
  const Discovery discovery = Discover(options);
  REQUIRE(discovery.error);
  CHECK(discovery.error->message.find("p/torchleak.toml:1:1: unknown key") == 0);
  options.paths = {"a.py"};
  CHECK_FALSE(Discover(options).error);
}

}  // namespace
}  // namespace torchleak::driver
