// The runner itself: markers are read as documented, and every kind of difference is told.
#include "markers.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "analysis.h"
#include "compare.h"
#include "excerpt.h"

namespace torchleak::tests {
namespace {

// `text` of the source on `row`, as a span.
text::Span Find(const text::Source& source, std::uint32_t row, std::string_view text) {
  const std::size_t at = source.Line(row).find(text);
  REQUIRE(at != std::string_view::npos);
  const auto begin = source.LineSpan(row).begin + static_cast<std::uint32_t>(at);
  return {begin, begin + static_cast<std::uint32_t>(text.size())};
}

// Three lines of code with markers in between; the findings below are made by hand, so that this
// tests the runner alone.
constexpr std::string_view kMarked =
    "loss = model(x)\n"
    "#      ^^^^^^^^ a1: made\n"
    "losses.append(loss)\n"
    "# @1-20 TLK101 error a: is kept\n"
    "#             ^^^^ a2: stored\n";

findings::Finding Appended(const text::Source& source) {
  findings::Finding finding;
  finding.code = "TLK101";
  finding.name = "accumulated-tensor";
  finding.severity = findings::Severity::kError;
  finding.message = "`loss` is kept in `losses`";
  finding.location = {source.path(), Find(source, 3, "losses.append(loss)")};
  finding.flow = {{{source.path(), Find(source, 1, "model(x)")}, "made here"},
                  {{source.path(), Find(source, 3, "loss)")}, "stored here"}};
  finding.flow[1].location.span.end -= 1;
  return finding;
}

std::vector<std::string> Differences(std::string_view code,
                                     const std::vector<findings::Finding>& found) {
  const text::Source source = SourceOf("f.py", std::string(code));
  return Compare(source, ReadMarkers(source), found);
}

std::string Only(const std::vector<std::string>& problems) {
  REQUIRE(problems.size() == 1);
  return problems.front();
}

bool Contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("markers of all forms are read") {
  const Markers markers = ReadMarkers(SourceOf(
      "f.py", std::string(kMarked) + "step()  # TLK201 TLK203  # expect-fn: TLK107 too deep\n"
                                     "# expect-fp: TLK102 a small one\n"
                                     "call(1,\n     2)\n"));
  CHECK(markers.errors == std::vector<std::string>{});
  REQUIRE(markers.expected.size() == 5);
  const Expected& first = markers.expected[0];
  CHECK(first.code == "TLK101");
  CHECK(first.range == Range{{3, 1}, {3, 20}});
  CHECK(first.severity == findings::Severity::kError);
  CHECK(first.text == "is kept");
  REQUIRE(first.steps.size() == 2);
  CHECK(first.steps[0].range == Range{{1, 8}, {1, 16}});
  CHECK(first.steps[1].text == "stored");
  CHECK(markers.expected[1].code == "TLK201");
  CHECK(markers.expected[2].code == "TLK203");
  CHECK(markers.expected[3].kind == Expectation::kFalseNegative);
  CHECK(markers.expected[4].kind == Expectation::kFalsePositive);
  for (std::size_t i = 1; i < 5; ++i) CHECK(markers.expected[i].row == 6);
}

TEST_CASE("a range over several rows") {
  const Markers markers = ReadMarkers(SourceOf("f.py", "call(1,\n# @1-+2:8 TLK101\n     2)\n"));
  REQUIRE(markers.expected.size() == 1);
  CHECK(markers.expected[0].range == Range{{1, 1}, {3, 8}});
}

TEST_CASE("markers that say nothing are errors, plain comments are not") {
  const auto errors = [](std::string_view marker) {
    return ReadMarkers(SourceOf("f.py", "f()\n" + std::string(marker) + "\n")).errors.size();
  };
  CHECK(errors("#  ^^^ TLK1") == 1);
  CHECK(errors("#  ^^^") == 1);
  CHECK(errors("#  ^^^ TLK101 error a b") == 1);
  CHECK(errors("#  ^^^ a1: no such label") == 1);
  CHECK(errors("# @3 TLK101") == 1);
  CHECK(errors("# expect-fn: accumulated-tensor reason") == 1);
  CHECK(errors("# expect-fn: TLK101") == 1);
  CHECK(errors("g()  # TLK101 perhaps") == 1);
  CHECK(errors("#  ^^^ TLK101 a\n#  ^^^ a2: without a first") == 1);
  CHECK(errors("# a comment about TLK101") == 0);
  CHECK(errors("g()  # what TLK101 means") == 0);
}

TEST_CASE("no difference where all is as marked") {
  const text::Source source = SourceOf("f.py", std::string(kMarked));
  CHECK(Differences(kMarked, {Appended(source)}).empty());
}

TEST_CASE("each difference is told") {
  const text::Source source = SourceOf("f.py", std::string(kMarked));
  const findings::Finding right = Appended(source);

  CHECK(Contains(Only(Differences(kMarked, {})), "f.py:3: TLK101 was expected and not reported"));

  findings::Finding other = right;
  other.location.span.end -= 1;
  CHECK(Contains(Only(Differences(kMarked, {other})), "another range"));
  CHECK(Contains(Only(Differences(kMarked, {other})), "# @1-19 reported"));

  other = right;
  other.severity = findings::Severity::kWarning;
  CHECK(Contains(Only(Differences(kMarked, {other})), "is warning where error was expected"));

  other = right;
  other.message = "nothing of the kind";
  CHECK(Contains(Only(Differences(kMarked, {other})), "the message of TLK101 differs"));

  other = right;
  other.flow.pop_back();
  CHECK(Contains(Only(Differences(kMarked, {other})), "the flow of TLK101 differs"));

  other = right;
  other.flow[0].location.span.begin += 1;
  CHECK(Contains(Only(Differences(kMarked, {other})), "#       ^^^^^^^ a1: made here"));

  other = right;
  other.code = "TLK102";
  CHECK(Differences(kMarked, {other}).size() == 2);
  CHECK(Contains(Only(Differences(kMarked, {right, other})),
                 "TLK102 is reported and was not expected"));
  CHECK(Differences(kMarked, {right, right}).size() == 1);
}

TEST_CASE("gaps that no longer hold are told") {
  const std::string missed = "loss = 1\n\nlosses.append(loss)  # expect-fn: TLK101 reason\n";
  const std::string alarm = "loss = 1\n\nlosses.append(loss)  # expect-fp: TLK101 reason\n";
  const text::Source source = SourceOf("f.py", missed);
  findings::Finding finding = Appended(SourceOf("f.py", std::string(kMarked)));
  finding.location.span = Find(source, 3, "losses.append(loss)");
  CHECK(Differences(missed, {}).empty());
  CHECK(Contains(Only(Differences(missed, {finding})), "is reported now"));
  CHECK(Differences(alarm, {finding}).empty());
  CHECK(Contains(Only(Differences(alarm, {})), "the false alarm TLK101 is gone"));
}

TEST_CASE("an excerpt marks the lines that it quotes") {
  const text::Source script =
      SourceOf("f.py", "def f():\n    g(1)\n\n\ndef h():\n    g(1)\n    g(2)\n");
  const auto read = [&](std::string_view excerpt) {
    return ReadExcerpt(SourceOf("f.expected", std::string(excerpt)), script);
  };
  const Markers first = read("    g(1)\n#   ^^^^ TLK101\n");
  REQUIRE(first.expected.size() == 1);
  CHECK(first.expected[0].range == Range{{2, 5}, {2, 9}});

  const Markers second =
      read("def h():\n# @1-9 a1: here\n    g(1)\n\n    g(2)\n#   ^^^^ TLK101 a\n");
  REQUIRE(second.expected.size() == 1);
  CHECK(second.errors.empty());
  CHECK(second.expected[0].row == 7);
  CHECK(second.expected[0].steps[0].range == Range{{5, 1}, {5, 9}});

  CHECK(read("    g(2)\n    g(1)\n").errors.size() == 1);  // out of order
  CHECK(read("    g(3)\n").errors.size() == 1);
}

}  // namespace
}  // namespace torchleak::tests
