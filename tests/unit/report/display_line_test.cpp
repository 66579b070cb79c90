#include "report/display_line.h"

#include <string>

#include <doctest/doctest.h>

#include "report/terminal.h"

namespace torchleak::report {
namespace {

TEST_CASE("tabs go to the next stop of four") {
  const DisplayLine line("\ta\tb", {0, 0}, 80);
  CHECK(line.text() == "    a   b");
  CHECK(line.ColumnOf(0) == 0);
  CHECK(line.ColumnOf(1) == 4);
  CHECK(line.ColumnOf(2) == 5);
  CHECK(line.ColumnOf(3) == 8);
  CHECK(line.ColumnOf(4) == 9);
  CHECK(line.ColumnOf(400) == 9);
}

TEST_CASE("wide and combining characters are counted in columns") {
  const DisplayLine line("文e\xCC\x81x", {0, 0}, 80);  // bytes 0-2, 3, 4-5, 6
  CHECK(line.ColumnOf(3) == 2);
  CHECK(line.ColumnOf(1) == 0);  // inside a character: where it starts
  CHECK(line.ColumnOf(6) == 3);
  CHECK(line.ColumnOf(7) == 4);
}

TEST_CASE("white space at the end goes, control characters show") {
  CHECK(DisplayLine("x = 1   \t", {0, 0}, 80).text() == "x = 1");
  CHECK(DisplayLine("a\x1b", {0, 0}, 80).text() == "a␛");
  CHECK(DisplayLine("", {0, 0}, 80).text() == "");
  CHECK(DisplayLine("", {0, 0}, 80).ColumnOf(3) == 0);
}

TEST_CASE("a long line is cropped around its focus") {
  std::string text;
  for (int i = 0; i < 30; ++i) text += "0123456789";
  SUBCASE("in the middle") {
    const DisplayLine line(text, {150, 155}, 40);
    CHECK(Columns(line.text()) == 40);
    CHECK(line.text().starts_with("…"));
    CHECK(line.text().ends_with("…"));
    // What stands under the focus is what the focus covers.
    const std::string shown = line.text().substr(std::string("…").size());
    CHECK(shown.substr(line.ColumnOf(150) - 1, 5) == "01234");
    CHECK(line.ColumnOf(155) == line.ColumnOf(150) + 5);
    CHECK(line.ColumnOf(0) == 0);
    CHECK(line.ColumnOf(300) == 40);
  }
  SUBCASE("at the start") {
    const DisplayLine line(text, {0, 5}, 40);
    CHECK(line.text() == text.substr(0, 39) + "…");
    CHECK(line.ColumnOf(5) == 5);
  }
  SUBCASE("at the end") {
    const DisplayLine line(text, {295, 300}, 40);
    CHECK(line.text() == "…" + text.substr(261));
    CHECK(line.ColumnOf(300) == 40);
  }
  SUBCASE("a focus wider than the view shows its start") {
    const DisplayLine line(text, {100, 250}, 40);
    CHECK(Columns(line.text()) == 40);
    CHECK(line.ColumnOf(100) == 1);
    CHECK(line.ColumnOf(250) == 40);
  }
}

TEST_CASE("cuts through wide characters keep the columns") {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "文";
  for (std::uint32_t at = 90; at < 96; ++at) {
    const DisplayLine line(text, {at * 3, at * 3 + 3}, 41);
    CHECK(Columns(line.text()) == 41);
    CHECK(line.ColumnOf(at * 3 + 3) == line.ColumnOf(at * 3) + 2);
  }
}

TEST_CASE("of a huge line only the surroundings of the focus are laid out") {
  const std::string text = std::string(5'000'000, 'a') + "文FOCUS文" + std::string(5'000'000, 'b');
  const DisplayLine line(text, {5'000'003, 5'000'008}, 60);
  CHECK(line.text().find("aa文FOCUS文bb") != std::string::npos);
  CHECK(Columns(line.text()) == 60);
  CHECK(line.ColumnOf(5'000'008) == line.ColumnOf(5'000'003) + 5);
}

}  // namespace
}  // namespace torchleak::report
