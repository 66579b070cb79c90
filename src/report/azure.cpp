// Log commands of Azure Pipelines:
// https://learn.microsoft.com/azure/devops/pipelines/scripts/logging-commands
//
//   ##vso[task.logissue type=error;sourcepath=train.py;linenumber=19;columnnumber=17;code=TLK101;]…
//
// It knows errors and warnings only: notes are warnings. Lines of a notebook are those of its JSON,
// as that is the file which the service opens.
#include <fmt/format.h>

#include "report/formats.h"
#include "report/log_command.h"
#include "report/place.h"

namespace torchleak::report {
namespace {

// A percent sign is %AZP25 rather than %25, so that what looks like an escape in a path stays
// text.
constexpr Escape kMessageEscapes[] = {{'%', "%AZP25"}, {'\r', "%0D"}, {'\n', "%0A"}};
constexpr Escape kPropertyEscapes[] = {
    {'%', "%AZP25"}, {'\r', "%0D"}, {'\n', "%0A"}, {';', "%3B"}, {']', "%5D"}};

}  // namespace

std::string RenderAzure(const ReportInput& input) {
  std::string out;
  for (const findings::Finding& finding : input.findings) {
    const Place place = PlaceOf(input, finding, finding.location);
    const DiskPosition begin = OnDisk(place).begin;
    const bool is_error = finding.severity == findings::Severity::kError;
    out += fmt::format(
        "##vso[task.logissue type={};sourcepath={};linenumber={};columnnumber={};code={};]{}\n",
        is_error ? "error" : "warning",
        Escaped(DisplayPath(place.path, input.root), kPropertyEscapes), begin.row, begin.column,
        finding.code, Escaped(LogMessage(input, finding, place), kMessageEscapes));
  }
  return out;
}

}  // namespace torchleak::report
