// FileMarks: what a finding marks in each file, for formats that draw code. Inner to this layer.
#pragma once

#include <cstdint>
#include <vector>

#include "report/frame.h"
#include "report/place.h"
#include "report/report.h"

namespace torchleak::report {

// Marks of one file, or of one cell of a notebook, in the order in which the path first comes
// there.
struct FileMarks {
  Place first;
  std::vector<Mark> marks;
  std::uint32_t last_row = 1;  // the last one that may be drawn, as people count
};

// The finding's own file first, with its primary mark at the front. A step that is the finding
// itself gives its number and label to that mark; all others get marks of their own.
std::vector<FileMarks> CollectMarks(const ReportInput& input, const findings::Finding& finding);

}  // namespace torchleak::report
