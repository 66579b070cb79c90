// The parts of the HTML report; what a browser makes of them is in tests/golden/page.
#include <doctest/doctest.h>

#include <string>

#include "report/html_code.h"
#include "report/html_flow.h"
#include "report/html_plots.h"
#include "report/html_rows.h"
#include "report/markup.h"
#include "report/report.h"
#include "tests/unit/report/builder.h"

namespace torchleak::report {
namespace {

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::size_t CountOf(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_CASE("markup is escaped, what is invisible is made visible") {
  CHECK(EscapeMarkup("<a b=\"c\" d='e'>&") == "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;");
  CHECK(EscapeMarkup("a\x01\r\n\t\x7f") == "a␁␍\n\t␡");
  CHECK(EscapeMarkup("\xE2\x80\xAE\xEF\xBF\xBF\xFF") == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(HtmlProse("a `<b>` c `d") == "a <code>&lt;b&gt;</code> c `d");
  CHECK(HtmlHeading("the `x` is kept") == "The <code>x</code> is kept");
  CHECK(HtmlNumber(0) == "0");
  CHECK(HtmlNumber(999) == "999");
  CHECK(HtmlNumber(1'234'567) == "1,234,567");
}

TEST_CASE("a line of code shows its marks, and where each byte stands") {
  const std::string line = "\tfor é in f('x'):  # c";
  const CodeMark marks[] = {{{5, 7}, true}, {{11, 17}, false}};
  const CodeLineHtml code(line, marks);
  CHECK(code.html() ==
        "    <q class=\"k\">for</q> <mark>é</mark> <q class=\"k\">in</q> "
        "<em>f(</em><em><q class=\"s\">&#39;x&#39;</q></em><em>)</em>:  <q class=\"c\"># c</q>");
  CHECK(code.ColumnOf(0) == 0);
  CHECK(code.ColumnOf(1) == 4);
  CHECK(code.ColumnOf(7) == 9);
  CHECK(code.ColumnOf(1'000) == code.ColumnOf(static_cast<std::uint32_t>(line.size())));
}

TEST_CASE("a quote that does not close colours nothing, a long line is cut around its mark") {
  CHECK(CodeLineHtml("it isn't code", {}).html() == "it isn&#39;t code");
  const CodeMark marks[] = {{{5'000, 5'004}, true}};
  const CodeLineHtml code(std::string(10'000, 'x'), marks);
  CHECK(code.html().size() < 400);
  CHECK(code.html().starts_with("…"));
  CHECK(Has(code.html(), "<mark>xxxx</mark>"));
  CHECK(code.html().ends_with("…"));
  CHECK(CodeLineHtml("ab", std::vector<CodeMark>{{{2, 2}, true}}).html() == "ab<mark> </mark>");
}

TEST_CASE("an excerpt has a note for each step, a little context, and an end") {
  Builder builder;
  std::string text;
  for (int i = 1; i <= 200; ++i) text += "line" + std::to_string(i) + "\n";
  builder.AddFile("a.py", text);
  auto& finding = builder.Add("a.py", builder.Find("a.py", "line50\n"));
  finding.flow = {{{"", builder.Find("a.py", "line10\n")}, "made"},
                  {{"", finding.location.span}, "kept"}};
  const ReportInput input = builder.Input();
  const auto rows = HtmlRows(CollectMarks(input, finding).front(), 60);
  REQUIRE(rows.size() == 11);  // 9 to 11 and a note, a gap, 48 to 52 and a note
  CHECK(rows[2].number == 1);
  CHECK(Has(rows[4].html, "gap"));
  CHECK(rows[8].number == 2);
  CHECK(rows[8].primary);
  const auto few = HtmlRows(CollectMarks(input, finding).front(), 6);
  CHECK(few.size() <= 6);
  CHECK(Has(few.back().html, "the rest is not shown"));
  finding.location.span.end = builder.Find("a.py", "line150\n").end;
  CHECK(HtmlRows(CollectMarks(input, finding).front(), 60).size() < 20);
}

TEST_CASE("dots are joined: straight down, around what lies between, dashed to another excerpt") {
  const std::vector<FlowDot> dots = {
      {1, 0, 2, false}, {2, 0, 5, true}, {3, 0, 0, false}, {4, 1, 1, false}};
  const std::string own = HtmlFlow(dots, 0, 8);
  CHECK(CountOf(own, "<circle") == 3);
  CHECK(CountOf(own, "class=\"x\"") == 1);
  CHECK(CountOf(own, "class=\"h\"") == 2);  // heads; that of the third link is in the other excerpt
  CHECK(Has(own, "height=\"176\""));
  const std::string other = HtmlFlow(dots, 1, 3);
  CHECK(CountOf(other, "<circle") == 1);
  CHECK(CountOf(other, "class=\"h\"") == 1);
  const auto width = [](const std::string& svg) { return svg.substr(0, svg.find(" height")); };
  CHECK(width(own) == width(other));
}

TEST_CASE("folders are as deep as it takes to tell findings apart") {
  Builder builder;
  for (const char* path : {"src/a/x.py", "src/b/y.py", "src/c/z.py", "src/c/w.py", "top.py"}) {
    builder.Add(path, {});
  }
  const ReportInput input = builder.Input();
  const Folders folders(input);
  CHECK(folders.Of("src/a/x.py") == "src/a");
  CHECK(folders.Of("top.py") == ".");
  Builder one;
  one.Add("a/b/c/d/e/x.py", {});
  const ReportInput single = one.Input();
  CHECK(Folders(single).Of("a/b/c/d/e/x.py") == "a/b/c/d");
}

TEST_CASE("a report of many findings says what it leaves out") {
  Builder builder;
  builder.AddFile("a.py", "f(x)\n");
  for (int i = 0; i < 26'000; ++i) builder.Add("a.py", {0, 4});
  const std::string html = Render(Format::kHtml, builder.Input());
  CHECK(CountOf(html, "<details") == 25'000);
  CHECK(CountOf(html, "<figure>") == 1'500);
  CHECK(Has(html, "The code of the 1,500 most severe findings is shown, and 1,000 of the least"));
  CHECK_FALSE(Has(html, "<details class=\"finding warning\" id=\"f1\" open"));
}

}  // namespace
}  // namespace torchleak::report
