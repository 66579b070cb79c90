// The files of a project that use some of its files, though nobody gave them to the run.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "project/file_tree.h"

namespace torchleak::driver {

// All files below `root` that reach one of `files` by imports, without these; sorted. Paths are
// absolute.
std::vector<std::string> UsersOf(project::FileTree* tree, const std::string& root,
                                 std::span<const std::string> files);

// Is the folder the top of a project, so that looking through all of it makes sense? (The working
// directory may be a home directory.)
bool IsProjectTop(const std::string& folder);

}  // namespace torchleak::driver
