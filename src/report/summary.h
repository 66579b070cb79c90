// The last line of the text formats. Inner to this layer.
#pragma once

#include <string>

#include "report/report.h"
#include "report/terminal.h"

namespace torchleak::report {

// "Found 3 errors, 1 warning in 2 files (15 files checked)." or
// "All clear: no findings in 15 files."
std::string SummaryLine(const ReportInput& input, const Painter& painter);

}  // namespace torchleak::report
