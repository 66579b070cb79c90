// DiskEdits: a fix as replacements in files as they lie on disk. Inner to this layer.
//
// For Python files these are the edits themselves. In a notebook an edit of Python becomes one of
// the JSON: what Notebook::Rewrite changes, cut to the bytes that differ.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/place.h"

namespace torchleak::report {

struct DiskEdit {
  std::string_view path;
  DiskRegion region;
  std::string content;
};

// In the order of the fix; empty when it cannot be told (a source is missing, edits overlap).
std::vector<DiskEdit> DiskEdits(const ReportInput& input, const findings::Finding& finding);

// All of the fix as one replacement, for readers who take edits one at a time: half of a fix is
// none. Empty when it reaches into several files.
std::vector<DiskEdit> JoinedDiskEdit(const ReportInput& input, const findings::Finding& finding);

}  // namespace torchleak::report
