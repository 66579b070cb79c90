// What is done to arguments before they are parsed: @argfile, and names of files that look like
// options.
#pragma once

#include <string>
#include <vector>

#include "text/result.h"

namespace torchleak::cli {

// Replaces each argument `@FILE` by the lines of FILE, one argument a line, taken as they are;
// empty lines are dropped and a line may name another @FILE. After `--` nothing is replaced.
text::Result<std::vector<std::string>> ExpandArgfiles(std::vector<std::string> arguments);

// For programs that put names of files behind their own arguments, as pre-commit does. Behind
// `--paths-first`, what begins with `-` or `@` and is the name of a file becomes `./NAME`: a file
// that is called `--exit-zero` is checked, and is no option.
std::vector<std::string> WithPathsFirst(std::vector<std::string> arguments);

}  // namespace torchleak::cli
