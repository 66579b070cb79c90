// AsProject: the files of a check in which a rule can fire, with what they import and who uses
// them.
#pragma once

#include <vector>

#include "driver/check_trace.h"
#include "driver/file_check.h"

namespace torchleak::driver {

// Completes the results of those files, which are parsed here. `trace` may be null.
void AsProject(const CheckOptions& options, const std::vector<Item>& items,
               std::vector<FileResult>* results, Counts* counts, CheckTrace* trace);

}  // namespace torchleak::driver
