// @argfile: arguments from a file, for command lines that grow too long.
#pragma once

#include <string>
#include <vector>

#include "text/result.h"

namespace torchleak::cli {

// Replaces each argument `@FILE` by the lines of FILE, one argument a line, taken as they are;
// empty lines are dropped and a line may name another @FILE. After `--` nothing is replaced.
text::Result<std::vector<std::string>> ExpandArgfiles(std::vector<std::string> arguments);

}  // namespace torchleak::cli
