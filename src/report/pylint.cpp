// As pylint's "parseable" output, which editors and CI plugins match by pattern:
//
//   train.py:19:17: [TLK101(accumulated-tensor), Trainer.fit] message
//
// What reads it opens a file at a line, so places in a notebook are those of its JSON.
#include <fmt/format.h>

#include "report/formats.h"
#include "report/place.h"
#include "report/terminal.h"

namespace torchleak::report {

std::string RenderPylint(const ReportInput& input) {
  std::string out;
  for (const findings::Finding& finding : input.findings) {
    const Place place = PlaceOf(input, finding, finding.location);
    const DiskPosition begin = OnDisk(place).begin;
    const bool in_function = finding.function != "<module>";
    const std::string cell = place.cell == 0 ? "" : fmt::format("cell {}: ", place.cell);
    out += fmt::format("{}:{}:{}: [{}({}), {}] {}{}\n",
                       Printable(DisplayPath(place.path, input.root)), begin.row, begin.column,
                       finding.code, finding.name, in_function ? Printable(finding.function) : "",
                       cell, Printable(finding.message));
  }
  return out;
}

}  // namespace torchleak::report
