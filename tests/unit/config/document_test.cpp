#include "config/document.h"

#include <doctest/doctest.h>

#include <random>

namespace torchleak::config {
namespace {

std::string Where(const Place& place) {
  return std::to_string(place.row) + ":" + std::to_string(place.column) + "-" +
         std::to_string(place.end_column);
}

TEST_CASE("values come with their kinds and places, in the order of the file") {
  const Document document = ParseToml(
      "z = true\n"
      "a = [\"x\", 2]\n"
      "ü = 1\n"
      "[t]\n"
      "\"k ey\" = 2020-01-01\n");
  // Bare keys are ASCII.
  REQUIRE(document.problem);
  CHECK(Where(document.problem->place) == "3:1-0");

  const Document good = ParseToml("z = true\na = [\"x\", 2]\n[t]\n\"k ey\" = 2020-01-01\n");
  REQUIRE_FALSE(good.problem);
  REQUIRE(good.root.members.size() == 3);
  CHECK(good.root.members[0].key == "z");
  CHECK(good.root.members[0].value.flag);
  CHECK(Where(good.root.members[0].place) == "1:1-2");
  CHECK(Where(good.root.members[0].value.place) == "1:5-9");
  const Node& list = good.root.members[1].value;
  CHECK(list.kind == Node::Kind::kList);
  REQUIRE(list.items.size() == 2);
  CHECK(list.items[0].text == "x");
  CHECK(Where(list.items[0].place) == "2:6-9");
  CHECK(list.items[1].kind == Node::Kind::kNumber);
  const Member* table = good.root.Find("t");
  REQUIRE(table != nullptr);
  REQUIRE(table->value.Find("k ey") != nullptr);
  CHECK(table->value.Find("k ey")->value.kind == Node::Kind::kDate);
  CHECK(good.root.Find("nothing") == nullptr);
}

TEST_CASE("columns count characters") {
  const Document document = ParseToml("a = [\"äöü\", 1]\n");
  CHECK(Where(document.root.members[0].value.items[1].place) == "1:13-14");
}

TEST_CASE("depth is bounded, whatever the form") {
  std::string dots = "a";
  for (int i = 0; i < 200000; ++i) dots += i % 2 == 0 ? ".a" : " . 'a'";
  CHECK(ParseToml(dots + " = 1").problem);
  CHECK(ParseToml("[" + dots + "]").problem);
  CHECK(ParseToml("x = { " + dots + " = 1 }").problem);
  CHECK(ParseToml("x = " + std::string(200000, '[')).problem);
  CHECK(ParseToml(std::string(200000, '[')).problem);
  std::string tables = "x = ";
  for (int i = 0; i < 100000; ++i) tables += "{a=";
  CHECK(ParseToml(tables).problem);
  // As deep as it gets.
  std::string deepest = "x = ";
  for (int i = 0; i < 200; ++i) deepest += "{a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a = ";
  CHECK_FALSE(ParseToml(deepest + "1" + std::string(200, '}')).problem);
}

TEST_CASE("dots in texts and numbers are no keys") {
  std::string version = "1";
  for (int i = 0; i < 30; ++i) version += ".0";
  CHECK_FALSE(ParseToml("a = \"" + version + "\"\nb = '" + version + "'\n").problem);
  CHECK_FALSE(ParseToml("a = [\"a.b\", \"c.d\", 1.5, 2.5]\n").problem);
}

// The parser of version 3.3 ends the process on a header such as `[=`.
TEST_CASE("no text ends the process") {
  for (const char* text :
       {"[=", "[[[", "[.a]", "[#", "[\n]", "[[=]]", "[[ [", "=", ".", "a.", "a.=", "{",
        "x={=", "x={.", "x={a.[", "\"\"\"a\"\"\" = 1", "x = \"\\u"}) {
    CAPTURE(text);
    CHECK(ParseToml(text).problem);
  }
}

TEST_CASE("mutations of a file are read or refused") {
  const std::string base =
      "# c\nselect = [\"TLK1\", 'x']\n[per-file-ignores]\n\"t/*\" = [\n  \"ALL\", # c\n]\n"
      "[[a.b]]\nd = 1979-05-27T07:32:00Z\ne = { f = 1.5e3, g.h = 0x1F }\ns = \"\"\"\nx\"\"\"\n";
  const std::string_view alphabet = "[]{}=.,\"'#\n\r\t\\ \0ax1-_:\xc3\xa4\xff+eTZ";
  std::mt19937 random(11);
  for (int round = 0; round < 20000; ++round) {
    std::string text = base;
    const unsigned edits = 1 + random() % 4;
    for (unsigned k = 0; k < edits; ++k) {
      const std::size_t at = random() % text.size();
      const char c = alphabet[random() % alphabet.size()];
      switch (random() % 3) {
        case 0:
          text[at] = c;
          break;
        case 1:
          text.insert(at, 1 + random() % 3, c);
          break;
        default:
          text.erase(at, 1 + random() % 8);
      }
      if (text.empty()) text = "a";
    }
    const Document document = ParseToml(text);
    if (document.problem) CHECK_FALSE(document.problem->message.empty());
  }
}

}  // namespace
}  // namespace torchleak::config
