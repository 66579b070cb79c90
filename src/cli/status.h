// Exit status of every command.
#pragma once

namespace torchleak::cli {

inline constexpr int kExitClean = 0;
inline constexpr int kExitFindings = 1;  // at or above --fail-on
inline constexpr int kExitError = 2;     // usage, input that could not be read, output not written

}  // namespace torchleak::cli
