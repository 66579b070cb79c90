// check --add-noqa: comments instead of a report.
#pragma once

#include "cli/check_plan.h"

namespace torchleak::cli {

// Checks, writes a comment to each line with a finding, tells how many. Returns the exit status: 0,
// or 2 when something could not be read or written.
int RunAddNoqa(const CheckArguments& arguments, const CheckPlan& plan);

}  // namespace torchleak::cli
