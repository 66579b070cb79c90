#include "fix/unified_diff.h"

#include <doctest/doctest.h>

#include <random>
#include <sstream>
#include <vector>

namespace torchleak::fix {
namespace {

TEST_CASE("hunks have three lines of context and join when these touch") {
  const std::string before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n";
  std::string after = before;
  after.replace(after.find("2\n"), 1, "two");
  after.replace(after.find("9\n"), 1, "nine");
  CHECK(UnifiedDiff("a.py", before, after) ==
        "--- a.py\n+++ a.py\n@@ -1,12 +1,12 @@\n 1\n-2\n+two\n 3\n 4\n 5\n 6\n 7\n 8\n-9\n+nine\n"
        " 10\n 11\n 12\n");
  after = before;
  after.replace(after.find("2\n"), 1, "two");
  after.replace(after.find("10\n"), 2, "ten");
  CHECK(UnifiedDiff("a.py", before, after) ==
        "--- a.py\n+++ a.py\n@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n"
        "@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n");
}

TEST_CASE("insertions, deletions, ends without a line feed") {
  CHECK(UnifiedDiff("a.py", "", "x\n") == "--- a.py\n+++ a.py\n@@ -0,0 +1 @@\n+x\n");
  CHECK(UnifiedDiff("a.py", "x\n", "") == "--- a.py\n+++ a.py\n@@ -1 +0,0 @@\n-x\n");
  CHECK(UnifiedDiff("a.py", "x", "y") ==
        "--- a.py\n+++ a.py\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n"
        "\\ No newline at end of file\n");
  CHECK(UnifiedDiff("a.py", "a\nb\n", "a\nx\nb\n") ==
        "--- a.py\n+++ a.py\n@@ -1,2 +1,3 @@\n a\n+x\n b\n");
  CHECK(UnifiedDiff("a.py", "x\n", "x\n").empty());
}

// What `patch` makes of it; fails on a context that does not fit.
std::string Patched(const std::string& before, const std::string& diff) {
  std::vector<std::string> old_lines, out;
  std::istringstream old_stream(before), stream(diff);
  for (std::string line; std::getline(old_stream, line);) old_lines.push_back(line);
  std::size_t at = 0;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("---") || line.starts_with("+++")) continue;
    if (line.starts_with("@@")) {
      std::size_t begin = std::stoul(line.substr(4));
      const std::size_t comma = line.find_first_of(", ", 4);
      if (line[comma] == ' ' || line[comma + 1] != '0') --begin;
      for (; at < begin; ++at) out.push_back(old_lines.at(at));
      continue;
    }
    if (line[0] != '+') REQUIRE(old_lines.at(at++) == line.substr(1));
    if (line[0] != '-') out.push_back(line.substr(1));
  }
  for (; at < old_lines.size(); ++at) out.push_back(old_lines[at]);
  std::string text;
  for (const std::string& line : out) text += line + "\n";
  return text;
}

TEST_CASE("a diff makes one of the other, whatever they are") {
  std::minstd_rand random(7);
  for (int round = 0; round < 500; ++round) {
    const auto lines = [&] {
      std::string text;
      for (std::size_t n = random() % 24; n > 0; --n)
        text += static_cast<char>('a' + random() % 4), text += '\n';
      return text;
    };
    const std::string before = lines(), after = lines();
    CHECK(Patched(before, UnifiedDiff("a.py", before, after)) == after);
  }
}

TEST_CASE("names as git writes them, colours when asked") {
  CHECK(UnifiedDiff("a b.py", "x\n", "y\n").starts_with("--- a b.py\t\n"));
  CHECK(UnifiedDiff("a\"\n.py", "x\n", "y\n").starts_with("--- \"a\\\"\\012.py\"\n"));
  CHECK(UnifiedDiff("a.py", "x\n", "y\n", {.color = true}) ==
        "\x1b[1m--- a.py\x1b[0m\n\x1b[1m+++ a.py\x1b[0m\n\x1b[36m@@ -1 +1 @@\x1b[0m\n"
        "\x1b[31m-x\x1b[0m\n\x1b[32m+y\x1b[0m\n");
}

TEST_CASE("very many changes are shown as one") {
  std::string before, after;
  for (int i = 0; i < 3000; ++i) {
    before += std::to_string(i) + "\n";
    after += "x" + std::to_string(i) + "\n";
  }
  const std::string diff = UnifiedDiff("a.py", before, after);
  CHECK(diff.starts_with("--- a.py\n+++ a.py\n@@ -1,3000 +1,3000 @@\n-0\n-1\n"));
}

}  // namespace
}  // namespace torchleak::fix
