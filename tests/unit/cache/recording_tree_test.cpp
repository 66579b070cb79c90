#include "cache/recording_tree.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace torchleak::cache {
namespace {

using project::MemoryTree;

MemoryTree Sample() {
  MemoryTree tree;
  tree.Put("/r/a.py", "import b");
  tree.Put("/r/pkg/b.py", "x = 1");
  return tree;
}

std::vector<Observation> Asked(project::FileTree* below) {
  RecordingTree tree(below);
  std::string bytes;
  CHECK(tree.Read("/r/a.py", &bytes));
  CHECK(bytes == "import b");
  CHECK(!tree.Read("/r/none.py", &bytes));
  CHECK(!tree.IsFile("/r/b.py"));
  CHECK(!tree.IsDirectory("/r/b"));
  CHECK(tree.IsDirectory("/r/pkg"));
  CHECK(tree.HoldsPython("/r/pkg"));
  CHECK(tree.IsFile("/r/pkg/b.py"));
  CHECK(tree.IsFile("/r/pkg/b.py"));  // noted once
  CHECK(!tree.contradicts_itself());
  return tree.Observations();
}

bool AllHold(const std::vector<Observation>& seen, project::FileTree* tree) {
  std::string bytes;
  return std::all_of(seen.begin(), seen.end(),
                     [&](const Observation& o) { return Holds(o, tree, &bytes); });
}

TEST_CASE("answers hold as long as the tree gives the same ones") {
  MemoryTree before = Sample();
  const std::vector<Observation> seen = Asked(&before);
  CHECK(seen.size() == 7);
  CHECK(AllHold(seen, &before));
  MemoryTree after = Sample();
  SUBCASE("what nobody asked for may change") {
    after.Put("/r/other.py", "");
    after.Put("/r/pkg/b.py", "x = 2");
    CHECK(AllHold(seen, &after));
  }
  SUBCASE("content") { after.Put("/r/a.py", "import c"); }
  SUBCASE("a file that was not there") { after.Put("/r/b.py", ""); }
  SUBCASE("a folder that was not there") { after.Put("/r/b/__init__.py", ""); }
  SUBCASE("one that could not be read") { after.Put("/r/none.py", ""); }
  SUBCASE("nothing is left") { after = MemoryTree(); }
  MemoryTree same = Sample();
  same.Put("/r/other.py", "");
  std::string a, b;
  const bool unchanged = after.Read("/r/other.py", &a);
  CHECK(AllHold(seen, &after) == unchanged);
}

TEST_CASE("a file that changes between two looks is noticed") {
  MemoryTree below = Sample();
  RecordingTree tree(&below);
  std::string bytes;
  tree.Read("/r/a.py", &bytes);
  below.Put("/r/a.py", "import c");
  tree.Read("/r/a.py", &bytes);
  CHECK(tree.contradicts_itself());
}

TEST_CASE("observations come back from their bytes") {
  MemoryTree below = Sample();
  const std::vector<Observation> seen = Asked(&below);
  Writer writer;
  Write(seen, &writer);
  Reader reader(writer.bytes());
  CHECK(ReadObservations(&reader) == seen);
  CHECK(reader.AtEnd());
  for (std::size_t cut = 0; cut < writer.bytes().size(); ++cut) {
    Reader part(std::string_view(writer.bytes()).substr(0, cut));
    ReadObservations(&part);
    CHECK(part.failed());
  }
}

}  // namespace
}  // namespace torchleak::cache
