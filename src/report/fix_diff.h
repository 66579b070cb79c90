// FixDiff: what a fix would change, as removed and added lines. Inner to this layer.
#pragma once

#include <string>

#include "findings/finding.h"
#include "report/frame.h"

namespace torchleak::report {

// Lines such as "14 - …" and "14 + …", each with its line feed; empty when an edit lies in another
// file than `source` or edits overlap. Long hunks are cut.
std::string FixDiff(const text::Source& source, std::string_view path, const findings::Fix& fix,
                    const FrameStyle& style);

}  // namespace torchleak::report
