#include "driver/replace_file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <iterator>

#include "tests/unit/driver/temp_tree.h"

namespace torchleak::driver {
namespace {

namespace fs = std::filesystem;

std::string Bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t Entries(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

TEST_CASE("bytes change, mode and links stay") {
  TempTree tree;
  tree.Write("real/a.py", "old");
  tree.Link("real/a.py", "link.py");
  chmod(tree.Path("real/a.py").c_str(), 0751);
  const std::array<FileChange, 1> change = {FileChange{tree.Path("link.py"), "old", "new"}};
  CHECK_FALSE(ReplaceFiles(change));
  CHECK(Bytes(tree.Path("real/a.py")) == "new");
  CHECK(fs::is_symlink(tree.Path("link.py")));
  struct stat info {};
  REQUIRE(stat(tree.Path("real/a.py").c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0751);
  CHECK(Entries(tree.Path("real")) == 1);
  CHECK_FALSE(ReplaceFiles(change));  // the same file under another name: done
}

TEST_CASE("a file that was changed meanwhile is left alone, and with it those of its group") {
  TempTree tree;
  tree.Write("a.py", "old");
  tree.Write("b.py", "other");
  const std::array<FileChange, 2> changes = {FileChange{tree.Path("a.py"), "old", "new"},
                                             FileChange{tree.Path("b.py"), "old", "new"}};
  auto error = ReplaceFiles(changes);
  REQUIRE(error);
  CHECK(error->path == tree.Path("b.py"));
  CHECK(error->message.find("was changed by someone else") == 0);
  CHECK(Bytes(tree.Path("a.py")) == "old");
  CHECK(Bytes(tree.Path("b.py")) == "other");
  CHECK(Entries(tree.root()) == 2);
}

TEST_CASE("two names of one file must agree") {
  TempTree tree;
  tree.Write("a.py", "old");
  tree.Link("a.py", "b.py");
  std::array<FileChange, 2> changes = {FileChange{tree.Path("a.py"), "old", "new"},
                                       FileChange{tree.Path("b.py"), "old", "other"}};
  CHECK(ReplaceFiles(changes));
  CHECK(Bytes(tree.Path("a.py")) == "old");
  changes[1].after = "new";
  CHECK_FALSE(ReplaceFiles(changes));
  CHECK(Bytes(tree.Path("a.py")) == "new");
  CHECK(Entries(tree.root()) == 2);
}

TEST_CASE("read-only and missing files are refused before anything is renamed") {
  TempTree tree;
  tree.Write("a.py", "old");
  tree.Write("b.py", "old");
  chmod(tree.Path("b.py").c_str(), 0444);
  std::array<FileChange, 2> changes = {FileChange{tree.Path("a.py"), "old", "new"},
                                       FileChange{tree.Path("b.py"), "old", "new"}};
  auto error = ReplaceFiles(changes);
  REQUIRE(error);
  CHECK(error->message.find("is read-only") == 0);
  CHECK(Bytes(tree.Path("a.py")) == "old");
  changes[1].path = tree.Path("gone.py");
  error = ReplaceFiles(changes);
  REQUIRE(error);
  CHECK(error->message.find("cannot be written: ") == 0);
  CHECK(Entries(tree.root()) == 2);
}

TEST_CASE("leftovers go, but not those of a run that is alive") {
  TempTree tree;
  tree.Write(".torchleak-aaaaaa.tmp", "x");
  tree.Write(".torchleak-bbbbbb.tmp", "x");
  tree.Write("other.tmp", "x");
  tree.Link("nowhere", ".torchleak-cccccc.tmp");
  const int alive = open(tree.Path(".torchleak-bbbbbb.tmp").c_str(), O_RDONLY);
  REQUIRE(flock(alive, LOCK_EX) == 0);
  const std::array<std::string, 2> folders = {tree.root(), tree.Path("missing")};
  CHECK(RemoveLeftovers(folders) == 1);
  CHECK_FALSE(fs::exists(tree.Path(".torchleak-aaaaaa.tmp")));
  CHECK(fs::exists(tree.Path(".torchleak-bbbbbb.tmp")));
  close(alive);
  CHECK(RemoveLeftovers(folders) == 1);
  CHECK(Entries(tree.root()) == 2);
}

}  // namespace
}  // namespace torchleak::driver
