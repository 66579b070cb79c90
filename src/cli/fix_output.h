// What a run with --fix, --fix-only or --diff says besides its findings.
#pragma once

#include <functional>
#include <string>

#include "driver/fix_run.h"

namespace torchleak::cli {

struct FixSettings {
  bool apply = false;          // --fix, --fix-only
  bool diff = false;           // --diff: print what would change, write nothing
  bool only = false;           // --fix-only, --diff: do not report what remains, nor fail for it
  bool unsafe = false;         // --unsafe-fixes
  bool show = false;           // --show-fixes
  bool exit_non_zero = false;  // --exit-non-zero-on-fix
  std::function<bool(const findings::Finding&)> wanted;  // --fixable, --unfixable; none: all

  bool Active() const { return apply || diff; }
};

// Unified diffs of all files; of a notebook one for each cell, named `nb.ipynb:cell 3`.
std::string DiffText(const driver::FixPlan& plan, bool color);

// --show-fixes: for each file how many findings of which rules. `would`: for --diff.
std::string ShownFixes(const driver::FixPlan& plan, bool would);

// "Fixed 3 findings in 2 files (1 remaining)."; empty when there is nothing to tell.
std::string FixSummary(const driver::FixPlan& plan, bool would, std::size_t remaining);

// -v: one line for each fix that was refused.
std::string RefusedFixes(const driver::FixPlan& plan);

}  // namespace torchleak::cli
