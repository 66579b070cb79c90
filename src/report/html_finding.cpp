#include "report/html_finding.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "report/file_marks.h"
#include "report/fix_diff.h"
#include "report/fixable.h"
#include "report/html_excerpt.h"
#include "report/markup.h"
#include "report/page_text.h"
#include "report/terminal.h"

namespace torchleak::report {
namespace {

std::string Attribute(std::string_view text) { return EscapeMarkup(Printable(text)); }

// A line of FixDiff(): " 14 + ", then code; "..." has neither.
struct DiffLine {
  std::string_view head;
  std::string_view code;
};

std::vector<DiffLine> DiffLines(std::string_view diff) {
  std::vector<DiffLine> lines;
  while (!diff.empty()) {
    const std::string_view line = diff.substr(0, diff.find('\n'));
    diff.remove_prefix(line.size() + 1);
    const std::size_t sign = line.find_first_of("+-");
    const std::size_t code = sign == std::string_view::npos ? line.size() : sign + 2;
    lines.push_back({line.substr(0, code), line.substr(std::min(code, line.size()))});
  }
  return lines;
}

// Without the indentation that all lines share: on a phone it would be most of the line.
std::string Diff(const ReportInput& input, const findings::Finding& finding) {
  const Place own = PlaceOf(input, finding, finding.location);
  if (own.source == nullptr) return "";
  const Painter plain(false, false);
  FrameStyle style;
  style.painter = &plain;
  style.number_width = static_cast<std::uint32_t>(fmt::formatted_size("{}", own.end.row + 1));
  style.width = 200;
  const std::string diff = FixDiff(*own.source, own.path, *finding.fix, style);
  const std::vector<DiffLine> lines = DiffLines(diff);
  std::size_t shared = diff.size();
  for (const DiffLine& line : lines) {
    shared = std::min(shared, line.code.find_first_not_of(' '));  // npos: a blank line
  }
  std::string out;
  for (const DiffLine& line : lines) {
    const std::string_view code = line.code.substr(std::min(shared, line.code.size()));
    const bool added = line.head.find('+') != std::string_view::npos;
    out += fmt::format("<{0}>{1}{2}</{0}>", added ? "ins" : "del", EscapeMarkup(line.head),
                       EscapeMarkup(code));
  }
  if (out.empty()) return "";
  return fmt::format("<pre class=\"diff\" tabindex=\"0\"><code>{}</code></pre>", out);
}

std::string Fix(const ReportInput& input, const findings::Finding& finding) {
  if (!HasFix(finding)) return "";
  const std::string_view option = finding.fix->applicability == findings::Applicability::kSafe
                                      ? "--fix"
                                      : "--fix --unsafe-fixes";
  return fmt::format(
      "<div class=\"fix\"><p><b>Fix</b> {} <small>({}, applied by <code>{}</code>)"
      "</small></p>{}</div>\n",
      HtmlHeading(finding.fix->message), Name(finding.fix->applicability), option,
      Diff(input, finding));
}

std::string Body(const ReportInput& input, const findings::Finding& finding, bool with_code) {
  std::string out = "<div class=\"body\">\n";
  if (with_code) out += HtmlExcerpts(input, CollectMarks(input, finding), HtmlLimits{});
  if (!finding.help.empty()) {
    out += fmt::format("<p class=\"help\"><b>Help</b> {}</p>\n", HtmlProse(Sentence(finding.help)));
  }
  if (with_code) out += Fix(input, finding);
  out += fmt::format(
      "<p class=\"about\">{} confidence · <a href=\"{}\" rel=\"noreferrer\">about {}</a></p>\n",
      Name(finding.confidence), RuleUrl(finding.name), finding.name);
  return out + "</div>\n";
}

}  // namespace

std::string HtmlPath(std::string_view path) {
  std::string out;
  for (const char c : EscapeMarkup(Printable(path))) {
    out.push_back(c);
    if (c == '/') out += "<wbr>";
  }
  return out;
}

std::string HtmlFinding(const ReportInput& input, const findings::Finding& finding,
                        const HtmlFindingOptions& options) {
  const Place place = PlaceOf(input, finding, finding.location);
  const bool named = !finding.function.empty() && finding.function != "<module>";
  const std::string function =
      named ? fmt::format(" in <code>{}</code>", EscapeMarkup(Printable(finding.function))) : "";
  const std::string fixable = HasFix(finding) ? fmt::format("<span class=\"pill\">{} fix</span>",
                                                            Name(finding.fix->applicability))
                                              : "";
  return fmt::format(
      "<details class=\"finding {0}\" id=\"f{1}\" data-severity=\"{0}\" data-rule=\"{2}\" "
      "data-folder=\"{3}\"{4}>\n<summary><h3>{5}</h3><p class=\"meta\"><span class=\"sev\">{0}"
      "</span> <span class=\"rule\">{2} {6}</span> <span class=\"at\">{7}{8}</span>{9}</p>"
      "</summary>\n{10}</details>\n",
      Name(finding.severity), options.number, Attribute(finding.code), Attribute(options.folder),
      options.open ? " open" : "", HtmlHeading(finding.message), Attribute(finding.name),
      PositionText(place), function, fixable, Body(input, finding, options.with_code));
}

}  // namespace torchleak::report
