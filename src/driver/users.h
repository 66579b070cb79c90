// Where the files that use others are looked for.
#pragma once

#include <string>
#include <vector>

namespace torchleak::driver {

// Those that discovery finds there by its defaults.
std::vector<std::string> FilesBelow(const std::string& folder);

// Is the folder the top of a project, so that looking through all of it makes sense? (The working
// directory may be a home directory.)
bool IsProjectTop(const std::string& folder);

}  // namespace torchleak::driver
