#include "config/patterns.h"

#include <doctest/doctest.h>

namespace torchleak::config {
namespace {

bool Tree(std::string_view pattern, std::string_view path, std::string_view folder = "/r/p") {
  PathPatterns patterns;
  patterns.Add(pattern, folder);
  return patterns.MatchesTree(path);
}

TEST_CASE("a file is matched by itself or by a folder above it") {
  for (const std::string pattern : {"tests/*", "tests", "tests/", "tests/**", "t.py", "*.py",
                                    "/tests", "./tests", "unit", "/r/p/tests", "../p/tests"}) {
    CAPTURE(pattern);
    CHECK(Tree(pattern, "/r/p/tests/unit/t.py"));
  }
  for (const std::string pattern :
       {"unit/t.py", "/unit", "t", "tests/t.py", "../tests", "p", "/r"}) {
    CAPTURE(pattern);
    CHECK_FALSE(Tree(pattern, "/r/p/tests/unit/t.py"));
  }
}

TEST_CASE("what lies above the folder of a pattern does not matter") {
  CHECK_FALSE(Tree("build", "/build/p/a.py", "/build/p"));
  CHECK(Tree("build", "/build/p/build/a.py", "/build/p"));
  CHECK(Tree("build", "/elsewhere/build/a.py", "/r"));  // of a file elsewhere every folder counts
}

TEST_CASE("the last pattern that matches wins, also across folders") {
  PathPatterns patterns;
  patterns.Add("*.py", "/r");
  patterns.Add("!keep.py", "/r/p");
  patterns.Add("x/*", "/r/q");
  CHECK(patterns.Matches("/r/a.py", false));
  CHECK_FALSE(patterns.Matches("/r/p/keep.py", false));
  CHECK(patterns.Matches("/r/q/x/keep.txt", false));
  CHECK_FALSE(patterns.Matches("/r/p/x/keep.txt", false));
  CHECK(PathPatterns().empty());
  CHECK_FALSE(PathPatterns().MatchesTree("/r/a.py"));
}

TEST_CASE("the top as folder, and patterns that climb over it") {
  CHECK(Tree("a.py", "/a.py", "/"));
  CHECK(Tree("../../../../x", "/x/a.py", "/r"));
}

}  // namespace
}  // namespace torchleak::config
