// Completion scripts, written from what was declared: commands, options with their descriptions,
// the words that they take, rules in comma lists, files.
//
//   torchleak generate-shell-completion zsh > ~/.zfunc/_torchleak
//
// Each script is self-contained: it needs no other package of completions and never runs torchleak.
#pragma once

#include <string>
#include <vector>

#include "cli/declared.h"

namespace torchleak::cli {

std::string BashCompletion(const std::vector<Command>& commands);
std::string ZshCompletion(const std::vector<Command>& commands);
std::string FishCompletion(const std::vector<Command>& commands);
std::string PowershellCompletion(const std::vector<Command>& commands);

}  // namespace torchleak::cli
