#include "config/glob.h"

#include <doctest/doctest.h>

#include <string>

namespace torchleak::config {
namespace {

bool Match(std::string_view pattern, std::string_view path) { return Glob(pattern).Matches(path); }

TEST_CASE("one segment: literals, question marks, stars") {
  CHECK(MatchesSegment("a.py", "a.py"));
  CHECK_FALSE(MatchesSegment("a.py", "a.pyi"));
  CHECK_FALSE(MatchesSegment("a.py", "ba.py"));
  CHECK(MatchesSegment("?.py", "x.py"));
  CHECK_FALSE(MatchesSegment("?.py", ".py"));
  CHECK(MatchesSegment("*", ""));
  CHECK(MatchesSegment("*_pb2.py", "model_pb2.py"));
  CHECK(MatchesSegment("a*b*c", "axxbyybzzc"));
  CHECK_FALSE(MatchesSegment("a*b*c", "axxbyybzz"));
  CHECK(MatchesSegment("\\*", "*"));
  CHECK_FALSE(MatchesSegment("\\*", "x"));
}

TEST_CASE("character classes") {
  CHECK(MatchesSegment("[abc].py", "b.py"));
  CHECK_FALSE(MatchesSegment("[abc].py", "d.py"));
  CHECK(MatchesSegment("[a-f]x", "ex"));
  CHECK_FALSE(MatchesSegment("[a-f]x", "gx"));
  CHECK(MatchesSegment("[!a-f]x", "gx"));
  CHECK(MatchesSegment("[^a-f]x", "gx"));
  CHECK_FALSE(MatchesSegment("[!a-f]x", "ax"));
  CHECK(MatchesSegment("[]]", "]"));
  CHECK(MatchesSegment("[!]]", "x"));
  CHECK(MatchesSegment("[a-]", "-"));
  CHECK(MatchesSegment("v[[:digit:]_]", "v7"));
  CHECK(MatchesSegment("v[[:digit:]_]", "v_"));
  CHECK_FALSE(MatchesSegment("v[[:digit:]_]", "vx"));
  CHECK(MatchesSegment("[\\]]", "]"));
  // A bracket that never closes is a bracket.
  CHECK(MatchesSegment("[ab", "[ab"));
}

TEST_CASE("stars stay inside one segment") {
  CHECK(Match("src/*.py", "src/a.py"));
  CHECK_FALSE(Match("src/*.py", "src/b/a.py"));
  CHECK_FALSE(Match("src/*", "src"));
  CHECK_FALSE(Match("*", "a/b"));
}

TEST_CASE("double stars span segments") {
  CHECK(Match("**/gen", "gen"));
  CHECK(Match("**/gen", "a/b/gen"));
  CHECK(Match("a/**/z", "a/z"));
  CHECK(Match("a/**/z", "a/b/c/z"));
  CHECK_FALSE(Match("a/**/z", "b/a/z"));
  CHECK(Match("a/**", "a/b"));
  CHECK(Match("a/**", "a/b/c"));
  CHECK_FALSE(Match("a/**", "a"));
  CHECK(Match("a/**/b/**/c", "a/x/b/y/b/z/c"));
  CHECK_FALSE(Match("a/**/b/**/c", "a/x/y/z/c"));
  CHECK(Match("**", "a/b"));
  // Inside a segment it is a plain star.
  CHECK(Match("a**b", "axyb"));
  CHECK_FALSE(Match("a**b", "ax/yb"));
}

TEST_CASE("a leading slash anchors, and is no segment") { CHECK(Match("/a/b", "a/b")); }

TEST_CASE("many stars cost no more than pattern times path") {
  std::string pattern, path;
  for (int i = 0; i < 200; ++i) pattern += "a*";
  for (int i = 0; i < 5000; ++i) path += 'a';
  CHECK_FALSE(MatchesSegment(pattern + "b", path));
  std::string deep, segments;
  for (int i = 0; i < 200; ++i) deep += "**/a/";
  for (int i = 0; i < 2000; ++i) segments += "a/";
  CHECK_FALSE(Match(deep + "b", segments + "c"));
}

}  // namespace
}  // namespace torchleak::config
