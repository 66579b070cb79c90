#include <fmt/format.h>

#include "report/fixable.h"
#include "report/formats.h"
#include "report/place.h"
#include "report/summary.h"
#include "report/terminal.h"

namespace torchleak::report {

std::string RenderConcise(const ReportInput& input) {
  const Painter painter(input.color, input.hyperlinks);
  std::string out;
  for (const findings::Finding& finding : input.findings) {
    const Place place = PlaceOf(input, finding, finding.location);
    const Style style = StyleOf(finding.severity);
    out +=
        fmt::format("{}:{}: {} {} [{}]{} {}\n",
                    painter.Paint(Style::kBold, Printable(DisplayPath(place.path, input.root))),
                    PositionText(place), painter.Paint(style, Name(finding.severity)),
                    painter.Link(RuleUrl(finding.name), painter.Paint(style, finding.code)),
                    finding.name, FixableMark(input, finding, painter), Printable(finding.message));
  }
  return out + SummaryLine(input, painter);
}

}  // namespace torchleak::report
