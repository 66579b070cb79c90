#include "engine/paragraph.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace torchleak::engine {
namespace {

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> out(1);
  for (char c : text) {
    if (c == '\n') {
      out.emplace_back();
    } else {
      out.back().push_back(c);
    }
  }
  return out;
}

TEST_CASE("lines stay within the width and hang under the first") {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "words ";
  std::string out = "    ";
  AppendParagraph(text, 4, 6, &out);
  const auto lines = Lines(out);
  REQUIRE(lines.size() == 5);
  CHECK(lines.back().empty());
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    CHECK(lines[i].size() <= kTextWidth);
    CHECK_FALSE(lines[i].ends_with(' '));
    CHECK(lines[i].starts_with(i == 0 ? "    w" : "      w"));
  }
}

TEST_CASE("short code and the number of a line are not torn apart") {
  const std::string pad(85, 'x');
  std::string out;
  AppendParagraph(pad + " made by `crit(model(x), y)` (line 12)", 0, 2, &out);
  CHECK(out == pad + " made by\n  `crit(model(x), y)` (line 12)\n");
  out.clear();
  AppendParagraph(std::string(93, 'x') + " (line 12)", 0, 2, &out);
  CHECK(out == std::string(93, 'x') + "\n  (line 12)\n");
}

TEST_CASE("a word longer than a line has one of its own, whole") {
  const std::string word(150, 'y');
  std::string out;
  AppendParagraph("a " + word + " b", 0, 2, &out);
  CHECK(out == "a\n  " + word + "\n  b\n");
}

TEST_CASE("columns are characters, not bytes") {
  std::string word;
  for (int i = 0; i < 50; ++i) word += "é";
  std::string out;
  AppendParagraph(word + " " + word.substr(0, 98), 0, 0, &out);
  CHECK(Lines(out).size() == 2);  // 50 + 1 + 49 columns
}

TEST_CASE("an entry: beside a short subject, below a long one") {
  std::string out;
  AppendEntry("loss", "a tensor", 14, &out);
  AppendEntry("a_rather_long_name", "a module", 14, &out);
  CHECK(out == "  loss        a tensor\n  a_rather_long_name\n              a module\n");
}

TEST_CASE("an unclosed backtick tears nothing") {
  std::string out;
  AppendParagraph("` a b ``` c `", 0, 0, &out);
  CHECK(out == "` a b ``` c `\n");
  out.clear();
  AppendParagraph("", 3, 3, &out);
  CHECK(out == "\n");
}

}  // namespace
}  // namespace torchleak::engine
