// `check --watch`: the same check again whenever something changes.
#pragma once

#include <functional>

#include "cli/check_options.h"

namespace torchleak::cli {

// Calls `check` (which prints its report and returns its status) now and after every change, until
// it is interrupted or its reader goes away. Returns the status of the last check; an interrupt
// during a check ends the process as it would without --watch.
int WatchAndCheck(const CheckArguments& arguments, const std::function<int()>& check);

}  // namespace torchleak::cli
