// Cases: files with `# expect: PATTERN` and `# ok: PATTERN - reason` at line ends, judged
// leniently.
//
// An expectation is met by a finding of that rule anywhere on the statement, or by one whose flow
// has a step there; `A|B` takes either. A false alarm is a finding on an `# ok:` line, or one of
// the case's own patterns (its docstring's `pattern:` line) inside `good_*` or `Good*`. All else is
// neutral. Patterns are names of rules; those of no rule are skipped.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "findings/finding.h"
#include "text/source.h"

namespace torchleak::tests {

// Misses and false alarms, as "miss FILE:ROW PATTERN" and "false FILE:ROW PATTERN", where FILE is
// the source's path from its last folder on; in order of the rows.
std::vector<std::string> CaseGaps(const text::Source& source,
                                  std::span<const findings::Finding> found);

}  // namespace torchleak::tests
