// The manual page torchleak(1), in the macros of man(7), written from what was declared.
#pragma once

#include <string>
#include <vector>

#include "cli/declared.h"

namespace torchleak::cli {

// One page for all commands: the options of `check` by group, then those of each other command.
std::string ManualPage(const std::vector<Command>& commands);

}  // namespace torchleak::cli
