// The files of a project that use some of its files, though nobody gave them to the run.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "project/file_tree.h"

namespace torchleak::driver {

// All files below `root` that reach one of `files` by imports, without these; sorted. Paths are
// absolute. `below` are the FilesBelow(root).
std::vector<std::string> UsersOf(project::FileTree* tree, const std::string& root,
                                 std::span<const std::string> files,
                                 std::span<const std::string> below);

// Those that discovery finds there by its defaults.
std::vector<std::string> FilesBelow(const std::string& folder);

// Is the folder the top of a project, so that looking through all of it makes sense? (The working
// directory may be a home directory.)
bool IsProjectTop(const std::string& folder);

}  // namespace torchleak::driver
