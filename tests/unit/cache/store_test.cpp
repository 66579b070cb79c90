#include "cache/store.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/unit/driver/temp_tree.h"

namespace torchleak::cache {
namespace {

namespace fs = std::filesystem;
using driver::TempTree;

std::string OneEntry(const std::string& folder) {
  for (const auto& file : fs::directory_iterator(folder)) {
    if (file.path().extension() == ".tlk") return file.path().string();
  }
  return {};
}

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void Overwrite(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

TEST_CASE("an entry is found under its key; the folder is marked") {
  const TempTree tree;
  const std::string folder = tree.Path("deep/cache");
  const Store store(folder);
  CHECK(!store.Load({1, 2}));
  CHECK(!fs::exists(folder));  // to look makes nothing
  REQUIRE(store.Save({1, 2}, "some bytes") == "");
  CHECK(store.Load({1, 2}) == "some bytes");
  CHECK(!store.Load({2, 1}));
  REQUIRE(store.Save({1, 2}, "") == "");
  CHECK(store.Load({1, 2}) == "");
  CHECK(IsCache(folder));
  CHECK(Content(folder + "/.gitignore") == "*\n");
  CHECK(
      Content(folder + "/CACHEDIR.TAG").starts_with("Signature: 8a477f597d28d172789f06886806bc55"));
}

TEST_CASE("any damage makes an entry no entry") {
  const TempTree tree;
  const Store store(tree.root());
  REQUIRE(store.Save({1, 2}, "some bytes") == "");
  const std::string path = OneEntry(tree.root());
  const std::string good = Content(path);
  for (std::size_t i = 0; i < good.size(); ++i) {
    Overwrite(path, good.substr(0, i));
    CHECK(!store.Load({1, 2}));
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    Overwrite(path, bad);
    CHECK(!store.Load({1, 2}));
  }
  Overwrite(path, good + "x");
  CHECK(!store.Load({1, 2}));
  // Under another key's name.
  REQUIRE(store.Save({3, 4}, "other") == "");
  Overwrite(path, good);
  const Hash128 other{3, 4};
  fs::copy_file(path, tree.Path(Hex(other) + ".tlk"), fs::copy_options::overwrite_existing);
  CHECK(!store.Load(other));
  fs::remove(path);
  fs::create_directory(path);
  CHECK(!store.Load({1, 2}));
}

TEST_CASE("folders of others stay as they are") {
  const TempTree tree;
  tree.Write("work.txt", "mine");
  CHECK(Store(tree.root()).Save({1, 2}, "x").find("no cache of torchleak") != std::string::npos);
  CHECK(!fs::exists(tree.Path(".gitignore")));
  CHECK(Store(tree.Path("work.txt")).Save({1, 2}, "x") != "");
  CHECK(Store(tree.Path("work.txt/below")).Save({1, 2}, "x") != "");
  CHECK(Content(tree.Path("work.txt")) == "mine");
  // What a killed run left is no obstacle.
  tree.Write("killed/CACHEDIR.TAG.1.0.tmp", "Sig");
  CHECK(Store(tree.Path("killed")).Save({1, 2}, "x") == "");
}

TEST_CASE("the oldest entries make room") {
  const TempTree tree;
  const auto save = [&](const Store& store, std::uint64_t key, std::string_view bytes) {
    REQUIRE(store.Save({key, 0}, bytes) == "");
    // Times of files may be coarse: age what is there.
    for (const auto& file : fs::directory_iterator(tree.root())) {
      fs::last_write_time(file, file.last_write_time() - std::chrono::seconds(10));
    }
  };
  SUBCASE("by number") {
    const Store store(tree.root(), {.bytes = 1000000, .entries = 2});
    for (std::uint64_t key = 1; key <= 2; ++key) save(store, key, "x");
    CHECK(store.Load({1, 0}));  // used: younger than the other now
    save(store, 3, "x");
    CHECK(store.Load({1, 0}));
    CHECK(!store.Load({2, 0}));
    CHECK(store.Load({3, 0}));
  }
  SUBCASE("by size, the new one never") {
    const Store store(tree.root(), {.bytes = 1000, .entries = 10});
    for (std::uint64_t key = 1; key <= 4; ++key) save(store, key, std::string(400, 'x'));
    CHECK(!store.Load({1, 0}));
    CHECK(!store.Load({2, 0}));
    CHECK(store.Load({3, 0}));
    CHECK(store.Load({4, 0}));
    save(store, 5, std::string(5000, 'x'));
    CHECK(store.Load({5, 0}));
  }
}

TEST_CASE("many write the same entry at once") {
  const TempTree tree;
  const std::string folder = tree.Path("cache");
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&folder, i] {
      const Store store(folder, {.bytes = 100000, .entries = 3});
      const std::string bytes(20000, static_cast<char>('a' + i));
      for (std::uint64_t round = 0; round < 50; ++round) {
        store.Save({round % 5, 0}, bytes);
        if (const auto got = store.Load({round % 5, 0})) {
          CHECK(got->size() == 20000);
          CHECK(got->find_first_not_of(got->front()) == std::string::npos);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(IsCache(folder));
  for (const auto& file : fs::directory_iterator(folder)) {
    CHECK(file.path().extension() != ".tmp");
  }
}

TEST_CASE("clean removes caches, and nothing else") {
  const TempTree tree;
  REQUIRE(Store(tree.Path("a/.torchleak_cache")).Save({1, 2}, "x") == "");
  REQUIRE(Store(tree.Path("b/c/any name")).Save({1, 2}, "x") == "");
  REQUIRE(Store(tree.Path("mixed")).Save({1, 2}, "x") == "");
  tree.Write("mixed/notes.txt", "mine");
  tree.Write("other/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n# of others\n");
  tree.Write(".torchleak_cache/no_tag.tlk", "x");
  REQUIRE(Store(tree.Path("outside/kept")).Save({1, 2}, "x") == "");
  tree.Link("../outside", "b/link");
  const Cleaned cleaned = Clean(tree.Path("a"));
  CHECK(cleaned.removed == std::vector{tree.Path("a/.torchleak_cache")});
  CHECK(cleaned.problems.empty());
  CHECK(Clean(tree.Path("b")).removed == std::vector{tree.Path("b/c/any name")});
  CHECK(fs::exists(tree.Path("outside/kept")));
  const Cleaned mixed = Clean(tree.Path("mixed"));
  CHECK(mixed.removed.empty());
  CHECK(mixed.problems.size() == 1);
  CHECK(Content(tree.Path("mixed/notes.txt")) == "mine");
  CHECK(!fs::exists(tree.Path("mixed/.gitignore")));
  CHECK(Clean(tree.Path("other")).removed.empty());
  CHECK(fs::exists(tree.Path("other/CACHEDIR.TAG")));
  CHECK(Clean(tree.Path(".torchleak_cache")).removed.empty());
  CHECK(fs::exists(tree.Path(".torchleak_cache/no_tag.tlk")));
  CHECK(Clean(tree.Path("missing")).problems.size() == 1);
}

}  // namespace
}  // namespace torchleak::cache
