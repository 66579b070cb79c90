#include "baseline/entry.h"

#include <doctest/doctest.h>

#include <map>

namespace torchleak::baseline {
namespace {

Entry Made(std::string path, std::string function, std::string line, std::string shape,
           unsigned occurrence = 0) {
  return {std::move(path), "TLK101",         std::move(function),
          std::move(line), std::move(shape), occurrence};
}

TEST_CASE("the shape of a line is the line without names that may be local") {
  CHECK(ShapeOf("  losses.append(loss)  # keep") == "$1.append ($2)");
  CHECK(ShapeOf("ls.append( l )") == ShapeOf("losses.append(loss)"));
  CHECK(ShapeOf("a += b * a") == "$1+=$2*$1");
  CHECK(ShapeOf("x = x") != ShapeOf("x = y"));
  CHECK(ShapeOf("for x in y:") != ShapeOf("if x in y:"));
  CHECK(ShapeOf("f(x, dim=1)") != ShapeOf("f(x, axis=1)"));
  CHECK(ShapeOf("f(a == b)") == ShapeOf("f(c == d)"));
  CHECK(ShapeOf("s = f'{x}' # y") == "$1=f '{x}'");
  CHECK(ShapeOf("s = 'it\\'s # no comment'") == "$1='it\\'s # no comment'");
  CHECK(ShapeOf("x = 1e5") != ShapeOf("x = 1e6"));
  CHECK(ShapeOf("") == "");
  CHECK(ShapeOf("'never closed") == "'never closed");
}

TEST_CASE("equal lines of one function are told apart by their occurrence") {
  auto source = text::Source::FromBytes("a.py", "x.append(y)\nx.append(y)\nx.append(z)\n");
  REQUIRE(source);
  std::vector<findings::Finding> found(3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    found[i].code = "TLK101";
    found[i].function = "f";
    found[i].location = {"a.py", {i * 12, i * 12 + 1}};
  }
  const Lookup lookup{[&](std::string_view) { return &*source; },
                      [](std::string_view path) { return "sub/" + std::string(path); }};
  const auto entries = EntriesOf(found, lookup);
  CHECK(entries[0].path == "sub/a.py");
  CHECK(entries[0].line == entries[1].line);
  CHECK(entries[0].occurrence == 0);
  CHECK(entries[1].occurrence == 1);
  CHECK(entries[2].occurrence == 0);
  CHECK(entries[2].line != entries[0].line);
  CHECK(entries[2].shape == entries[0].shape);
}

TEST_CASE(
    "a finding is known again by line, then by shape in its function, then by line anywhere") {
  const std::vector<Entry> then = {Made("a.py", "f", "1", "s"), Made("a.py", "f", "1", "s", 1),
                                   Made("a.py", "g", "2", "t"), Made("b.py", "f", "1", "s")};
  SUBCASE("the same") {
    const Comparison c = Compare(then, then);
    CHECK(c.fresh.empty());
    CHECK(c.gone.empty());
    CHECK(c.known.size() == 4);
  }
  SUBCASE("a name changed") {
    const Comparison c = Compare(std::vector{Made("a.py", "f", "9", "s")}, then);
    CHECK(c.known == std::vector<std::size_t>{0});
    CHECK(c.gone == std::vector<std::size_t>{1, 2, 3});
  }
  SUBCASE("the function was renamed") {
    const Comparison c = Compare(std::vector{Made("a.py", "h", "2", "t")}, then);
    CHECK(c.known.size() == 1);
    CHECK(c.gone == std::vector<std::size_t>{0, 1, 3});
  }
  SUBCASE("one of two equal lines went away: the other is not new") {
    const Comparison c = Compare(std::vector{then[0], then[2], then[3]}, then);
    CHECK(c.fresh.empty());
    CHECK(c.gone == std::vector<std::size_t>{1});
  }
  SUBCASE("one entry stands for one finding") {
    const Comparison c =
        Compare(std::vector{then[0], then[1], Made("a.py", "f", "1", "s", 2)}, then);
    CHECK(c.fresh == std::vector<std::size_t>{2});
  }
  SUBCASE("never across files or rules") {
    Entry other = then[2];
    other.rule = "TLK102";
    CHECK(Compare(std::vector{other}, then).fresh.size() == 1);
    CHECK(Compare(std::vector{Made("c.py", "g", "2", "t")}, then).fresh.size() == 1);
  }
  SUBCASE("an exact match is not taken away by a near one before it") {
    const Comparison c =
        Compare(std::vector{Made("a.py", "g", "8", "t"), Made("a.py", "g", "2", "t")}, then);
    CHECK(c.fresh == std::vector<std::size_t>{0});
    CHECK(c.known == std::vector<std::size_t>{1});
  }
}

}  // namespace
}  // namespace torchleak::baseline
