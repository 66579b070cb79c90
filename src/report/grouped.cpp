// One line for each finding under the name of its file, in columns.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "report/fixable.h"
#include "report/formats.h"
#include "report/place.h"
#include "report/summary.h"
#include "report/terminal.h"

namespace torchleak::report {
namespace {

using OfOneFile = std::span<const findings::Finding>;

// The findings from `begin` on that lie in its file: sorted by path, they follow each other.
OfOneFile FirstFile(OfOneFile findings) {
  const auto end = std::find_if(findings.begin(), findings.end(), [&](const auto& finding) {
    return finding.location.path != findings.front().location.path;
  });
  return findings.first(static_cast<std::size_t>(end - findings.begin()));
}

// Columns of "TLK101 accumulated-tensor [*]".
std::size_t RuleWidth(const ReportInput& input, const findings::Finding& finding) {
  return finding.code.size() + 1 + finding.name.size() + (MayFixSafely(input, finding) ? 4 : 0);
}

void DrawFile(const ReportInput& input, OfOneFile findings, const Painter& painter,
              std::string* out) {
  std::vector<std::string> positions;
  std::size_t width = 0;
  std::size_t rule_width = 0;
  for (const findings::Finding& finding : findings) {
    positions.push_back(PositionText(PlaceOf(input, finding, finding.location)));
    width = std::max(width, positions.back().size());
    rule_width = std::max(rule_width, RuleWidth(input, finding));
  }
  const std::string path = Printable(DisplayPath(findings.front().location.path, input.root));
  *out += fmt::format("{}:\n", painter.Paint(Style::kBold, path));
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const findings::Finding& finding = findings[i];
    const Style style = StyleOf(finding.severity);
    const std::string_view severity = Name(finding.severity);
    *out += fmt::format("  {:<{}}  {}{:{}}  {} {}{}{:{}}  {}\n", positions[i], width,
                        painter.Paint(style, severity), "", 7 - severity.size(),
                        painter.Link(RuleUrl(finding.name), painter.Paint(style, finding.code)),
                        finding.name, FixableMark(input, finding, painter), "",
                        rule_width - RuleWidth(input, finding), Printable(finding.message));
  }
  *out += "\n";
}

}  // namespace

std::string RenderGrouped(const ReportInput& input) {
  const Painter painter(input.color, input.hyperlinks);
  std::string out;
  for (OfOneFile rest = input.findings; !rest.empty();) {
    const OfOneFile file = FirstFile(rest);
    DrawFile(input, file, painter, &out);
    rest = rest.subspan(file.size());
  }
  return out + SummaryLine(input, painter);
}

}  // namespace torchleak::report
