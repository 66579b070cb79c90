// The frame in its corners; the usual look is kept by tests/golden.
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "report/report.h"
#include "tests/unit/report/builder.h"

namespace torchleak::report {
namespace {

// The report without header line and summary.
std::string Body(const ReportInput& input) {
  std::string text = Render(Format::kFull, input);
  text.erase(0, text.find('\n') + 1);
  return text.substr(0, text.find("\n\n") + 1);
}

TEST_CASE("a lone mark shows its neighbours, not blank ones") {
  Builder builder;
  builder.AddFile("a.py", "\n\nfor x in xs:\n    y = f(x)\n\nz = 1\n");
  builder.Add("a.py", builder.Find("a.py", "f(x)"));
  CHECK(Body(builder.Input()) ==
        " --> a.py:4:9\n"
        "  │\n"
        "3 │ for x in xs:\n"
        "4 │     y = f(x)\n"
        "  │         ^^^^\n");
}

TEST_CASE("a mark at the end of the file, on nothing") {
  Builder builder;
  builder.AddFile("a.py", "x = (");
  builder.Add("a.py", {5, 5});
  CHECK(Body(builder.Input()) ==
        " --> a.py:1:6\n"
        "  │\n"
        "1 │ x = (\n"
        "  │      ^\n");
}

TEST_CASE("an empty file") {
  Builder builder;
  builder.AddFile("a.py", "");
  builder.Add("a.py", {0, 0});
  CHECK(Body(builder.Input()) == " --> a.py:1:1\n  │\n1 │\n  │ ^\n");
}

TEST_CASE("a long span is a bar with its middle left out") {
  Builder builder;
  std::string code = "with a:\n";
  for (int i = 0; i < 20; ++i) code += "    step(" + std::to_string(i) + ")\n";
  builder.AddFile("a.py", code);
  auto& finding = builder.Add("a.py", {0, static_cast<std::uint32_t>(code.size())});
  finding.flow = {{{"", builder.Find("a.py", "step(9)")}, "in the middle"},
                  {finding.location, "all of it"}};
  CHECK(Body(builder.Input()) ==
        "  --> a.py:1:1\n"
        "   │\n"
        " 1 │ ╭ with a:\n"
        " 2 │ │     step(0)\n"
        " 3 │ │     step(1)\n"
        " 4 │ │     step(2)\n"
        "...  │\n"
        "11 │ │     step(9)\n"
        "   │ │     ─────── 1 in the middle\n"
        "...  │\n"
        "20 │ │     step(18)\n"
        "21 │ │     step(19)\n"
        "   │ ╰────────────^ 2 all of it\n");
}

TEST_CASE("a step over several lines is cut to its first") {
  Builder builder;
  builder.AddFile("a.py", "f(\n  1)\ng()\n");
  auto& finding = builder.Add("a.py", builder.Find("a.py", "g()"));
  finding.flow = {{{"", {0, 7}}, "here"}};
  CHECK(Body(builder.Input()) ==
        " --> a.py:3:1\n"
        "  │\n"
        "1 │ f(\n"
        "  │ ── 1 here\n"
        "2 │   1)\n"
        "3 │ g()\n"
        "  │ ^^^\n");
}

TEST_CASE("steps of a file that cannot be read are still told") {
  Builder builder;
  builder.AddFile("a.py", "g()\n");
  auto& finding = builder.Add("a.py", {0, 3});
  finding.flow = {{{"gone.py", {3, 4}}, "from here"}};
  CHECK(Body(builder.Input()) ==
        " --> a.py:1:1\n"
        "  │\n"
        "1 │ g()\n"
        "  │ ^^^\n"
        "  │\n"
        " --> gone.py:1:1\n"
        "  │ 1 from here\n");
}

TEST_CASE("long lines are cropped around the mark") {
  Builder builder;
  builder.AddFile("a.py",
                  "x = [" + std::string(300, '1') + ", bad, " + std::string(300, '2') + "]\n");
  builder.Add("a.py", builder.Find("a.py", "bad"));
  ReportInput input = builder.Input();
  input.width = 40;
  CHECK(Body(input) ==
        " --> a.py:1:308\n"
        "  │\n"
        "1 │ …111111111111111, bad, 2222222222222222…\n"
        "  │                   ^^^\n");
}

TEST_CASE("a fix is shown as a diff") {
  Builder builder;
  builder.AddFile("a.py", "a = 1\nb = 2\nc = 3\n");
  auto& finding = builder.Add("a.py", builder.Find("a.py", "b"));
  findings::Fix fix;
  fix.applicability = findings::Applicability::kSafe;
  fix.message = "change it";
  SUBCASE("a replacement") { fix.edits = {{{"", builder.Find("a.py", "2")}, "20"}}; }
  SUBCASE("the same in two edits, in any order") {
    fix.edits = {{{"", {11, 11}}, "0"}, {{"", {10, 11}}, "2"}};
  }
  finding.fix = fix;
  const std::string body = Body(builder.Input());
  CHECK(body.substr(body.find("  = fix")) ==
        "  = fix: change it (safe)\n  │\n2 - b = 2\n2 + b = 20\n");
}

TEST_CASE("a deleted and an added line are shown alone") {
  Builder builder;
  builder.AddFile("a.py", "a = 1\r\nb = 2\r\nc = 3\r\n");
  auto& finding = builder.Add("a.py", builder.Find("a.py", "b"));
  finding.fix = findings::Fix{findings::Applicability::kUnsafe, "f", {}};
  std::string expected;
  SUBCASE("deleted") {
    finding.fix->edits = {{{"", builder.Find("a.py", "b = 2\r\n")}, ""}};
    expected = "2 - b = 2\n";
  }
  SUBCASE("added") {
    finding.fix->edits = {{{"", {7, 7}}, "new()\r\n"}};
    expected = "2 + new()\n";
  }
  SUBCASE("in another file: no diff") { finding.fix->edits = {{{"b.py", {0, 1}}, "x"}}; }
  SUBCASE("overlapping: no diff") {
    finding.fix->edits = {{{"", {0, 4}}, "x"}, {{"", {2, 5}}, "y"}};
  }
  const std::string body = Body(builder.Input());
  CHECK(body.substr(body.find("  = fix")) ==
        "  = fix: f (unsafe)\n" + (expected.empty() ? "" : "  │\n" + expected));
}

TEST_CASE("messages and paths cannot steer the terminal") {
  Builder builder;
  builder.AddFile("a\x1b.py", "x\x1b[2J = 1\n");
  auto& finding = builder.Add("a\x1b.py", {0, 1});
  finding.message = "m\x1b[1m\nn";
  finding.help = "h\x1b";
  finding.function = "f\x1b";
  for (const Format format : {Format::kFull, Format::kConcise}) {
    CHECK(Render(format, builder.Input()).find('\x1b') == std::string::npos);
  }
  CHECK(Render(Format::kConcise, builder.Input())
            .starts_with("a␛.py:1:1: warning TLK101 [accumulated-tensor] m␛[1m n\n"));
}

// Spans may be anything: of another version of the file, cut through characters, the wrong way
// round.
TEST_CASE("any span over any text renders") {
  std::uint32_t state = 1;
  const auto random = [&state](std::uint32_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
  };
  const std::string_view pieces[] = {"x",
                                     " ",
                                     "\t",
                                     "\n",
                                     "\r\n",
                                     "\r",
                                     "文",
                                     "e\xCC\x81",
                                     "🎉",
                                     "\x1b",
                                     "(",
                                     "    ",
                                     "name.method(argument)"};
  for (int round = 0; round < 300; ++round) {
    Builder builder;
    std::string text;
    for (std::uint32_t i = random(60); i > 0; --i) text += pieces[random(std::size(pieces))];
    const auto size = static_cast<std::uint32_t>(text.size());
    builder.AddFile("a.py", text);
    const auto span = [&] { return text::Span{random(size + 3), random(size + 3)}; };
    auto& finding = builder.Add("a.py", span());
    for (std::uint32_t i = random(4); i > 0; --i) finding.flow.push_back({{"", span()}, "step"});
    finding.fix = findings::Fix{findings::Applicability::kSafe, "f", {{{"", span()}, "new\n"}}};
    ReportInput input = builder.Input();
    input.width = 40 + random(20);
    const std::string full = Render(Format::kFull, input);
    CHECK(full.find_first_of("\x1b\r\t") == std::string::npos);
    CHECK(full.find(" \n") == std::string::npos);
    for (const Format format : {Format::kConcise, Format::kJson, Format::kSarif}) {
      CHECK_FALSE(Render(format, input).empty());
    }
  }
}

}  // namespace
}  // namespace torchleak::report
