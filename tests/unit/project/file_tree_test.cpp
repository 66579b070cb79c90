#include "project/file_tree.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/unit/driver/temp_tree.h"
#include "text/source.h"

namespace torchleak::project {
namespace {

TEST_CASE("the disk: files, folders, links") {
  const driver::TempTree files;
  files.Write("pkg/a.py", "import b");
  files.Write("data/x.bin");
  files.Link("pkg", "linked");
  files.Link("loop", "loop");
  files.Link("pkg/a.py", "link.py");
  DiskTree tree;
  CHECK(tree.IsFile(files.Path("pkg/a.py")));
  CHECK(tree.IsFile(files.Path("linked/a.py")));
  CHECK(tree.IsFile(files.Path("link.py")));
  CHECK(tree.IsDirectory(files.Path("linked")));
  CHECK(tree.IsDirectory("/"));
  CHECK_FALSE(tree.IsFile(files.Path("pkg")));
  CHECK_FALSE(tree.IsDirectory(files.Path("pkg/a.py")));
  CHECK_FALSE(tree.IsFile(files.Path("loop")));
  CHECK_FALSE(tree.IsFile(files.Path("loop/a.py")));
  CHECK_FALSE(tree.IsFile(files.Path("missing/a.py")));
  CHECK(tree.HoldsPython(files.Path("pkg")));
  CHECK_FALSE(tree.HoldsPython(files.Path("data")));
  CHECK_FALSE(tree.HoldsPython(files.Path("missing")));
}

TEST_CASE("the disk: reading") {
  const driver::TempTree files;
  files.Write("a.py", "import b");
  files.Write("empty.py");
  files.Write("large.py", std::string(text::Source::kMaxBytes + 1, '#'));
  DiskTree tree;
  std::string bytes = "old";
  CHECK(tree.Read(files.Path("a.py"), &bytes));
  CHECK_EQ(bytes, "import b");
  CHECK(tree.Read(files.Path("empty.py"), &bytes));
  CHECK_EQ(bytes, "");
  CHECK_FALSE(tree.Read(files.Path("large.py"), &bytes));
  CHECK_EQ(bytes, "");
  CHECK_FALSE(tree.Read(files.root(), &bytes));
  CHECK_FALSE(tree.Read(files.Path("missing.py"), &bytes));
}

TEST_CASE("memory: folders are those that the files need") {
  MemoryTree tree;
  tree.Put("/r/pkg/a.py", "");
  tree.Put("/r/pkg-2/data", "");
  CHECK(tree.IsDirectory("/r"));
  CHECK(tree.IsDirectory("/r/pkg"));
  CHECK_FALSE(tree.IsDirectory("/r/pk"));
  CHECK_FALSE(tree.IsDirectory("/r/pkg/a.py"));
  CHECK(tree.HoldsPython("/r/pkg"));
  CHECK_FALSE(tree.HoldsPython("/r"));
  CHECK_FALSE(tree.HoldsPython("/r/pkg-2"));
}

TEST_CASE("buffers hide, add to, and show what is below") {
  MemoryTree disk;
  disk.Put("/r/a.py", "old");
  disk.Put("/r/b.py", "kept");
  OverlayTree tree(&disk);
  tree.Put("/r/a.py", "new");
  tree.Put("/r/new/c.py", "");
  std::string bytes;
  CHECK(tree.Read("/r/a.py", &bytes));
  CHECK_EQ(bytes, "new");
  CHECK(tree.Read("/r/b.py", &bytes));
  CHECK_EQ(bytes, "kept");
  CHECK(tree.IsDirectory("/r/new"));
  CHECK(tree.HoldsPython("/r/new"));
  CHECK(tree.IsFile("/r/new/c.py"));
  CHECK_FALSE(tree.IsFile("/r/d.py"));
}

}  // namespace
}  // namespace torchleak::project
