// Workflow commands: https://docs.github.com/actions/reference/workflow-commands-for-github-actions
//
//   ::error file=train.py,line=19,col=17,endLine=19,endColumn=36,title=TLK101 …::message
//
// A notebook is shown there as JSON, so its lines and columns are those of the JSON; the message
// names the cell.
#include <fmt/format.h>

#include "report/formats.h"
#include "report/log_command.h"
#include "report/place.h"

namespace torchleak::report {
namespace {

constexpr Escape kMessageEscapes[] = {{'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}};
constexpr Escape kPropertyEscapes[] = {
    {'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}, {':', "%3A"}, {',', "%2C"}};

std::string_view Command(findings::Severity severity) {
  return severity == findings::Severity::kNote ? "notice" : Name(severity);
}

}  // namespace

std::string RenderGithub(const ReportInput& input) {
  std::string out;
  for (const findings::Finding& finding : input.findings) {
    // Columns are dropped for annotations of several lines, so these are cut to their first.
    const Place place = FirstLineOf(PlaceOf(input, finding, finding.location));
    const DiskRegion region = OnDisk(place);
    out += fmt::format("::{} file={},line={},col={},endLine={},endColumn={},title={}::{}\n",
                       Command(finding.severity),
                       Escaped(DisplayPath(place.path, input.root), kPropertyEscapes),
                       region.begin.row, region.begin.column, region.end.row, region.end.column,
                       Escaped(fmt::format("{} {}", finding.code, finding.name), kPropertyEscapes),
                       Escaped(LogMessage(input, finding, place), kMessageEscapes));
  }
  return out;
}

}  // namespace torchleak::report
