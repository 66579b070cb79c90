// What a fix means to the reader of a list: may `--fix` apply it? Inner to this layer.
#pragma once

#include <string>

#include "findings/finding.h"
#include "report/report.h"
#include "report/terminal.h"

namespace torchleak::report {

inline bool HasFix(const findings::Finding& finding) {
  return finding.fix && !finding.fix->edits.empty();
}

// As HasFix, of a rule whose fixes are wanted.
inline bool MayFix(const ReportInput& input, const findings::Finding& finding) {
  return HasFix(finding) && (!input.may_fix || input.may_fix(finding));
}

inline bool MayFixSafely(const ReportInput& input, const findings::Finding& finding) {
  return MayFix(input, finding) && finding.fix->applicability == findings::Applicability::kSafe;
}

// " [*]" behind the rule's name when `--fix` alone would apply the fix, else nothing.
inline std::string FixableMark(const ReportInput& input, const findings::Finding& finding,
                               const Painter& painter) {
  return MayFixSafely(input, finding) ? " [" + painter.Paint(Style::kHelp, "*") + "]" : "";
}

}  // namespace torchleak::report
