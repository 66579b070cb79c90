// The last lines of the text formats. Inner to this layer.
#pragma once

#include <string>

#include "report/report.h"
#include "report/terminal.h"

namespace torchleak::report {

// "Found 3 errors, 1 warning in 2 files (15 files checked)." or
// "All clear: no findings in 15 files.", then what can be fixed:
// "[*] 2 fixable with `--fix` (1 more with `--unsafe-fixes`).", and, when verbose, what is not
// shown.
std::string SummaryLine(const ReportInput& input, const Painter& painter);

}  // namespace torchleak::report
