// The version of torchleak, as CMake's project() states it: "0.1.0".
#pragma once

#include <string_view>

namespace torchleak::report {

std::string_view Version();

}  // namespace torchleak::report
