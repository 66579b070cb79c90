// What a fix means to the reader of a list: may `--fix` apply it? Inner to this layer.
#pragma once

#include <string>

#include "findings/finding.h"
#include "report/terminal.h"

namespace torchleak::report {

inline bool HasFix(const findings::Finding& finding) {
  return finding.fix && !finding.fix->edits.empty();
}

inline bool HasSafeFix(const findings::Finding& finding) {
  return HasFix(finding) && finding.fix->applicability == findings::Applicability::kSafe;
}

// " [*]" behind the rule's name when `--fix` alone would apply the fix, else nothing.
inline std::string FixableMark(const findings::Finding& finding, const Painter& painter) {
  return HasSafeFix(finding) ? " [" + painter.Paint(Style::kHelp, "*") + "]" : "";
}

}  // namespace torchleak::report
