// What can be read only once: pipes and devices given by hand, `torchleak check <(make_code)`.
#pragma once

#include "driver/check.h"

namespace torchleak::driver {

// The options with the paths that are neither files nor folders read into buffers. One that cannot
// be read stays a path, and is told of like a file that cannot be read.
CheckOptions WithPipesRead(CheckOptions options);

}  // namespace torchleak::driver
