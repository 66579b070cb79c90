// The files of a project that use some of its files, though nobody gave them to the run.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "project/file_tree.h"

namespace torchleak::driver {

struct Users {
  std::vector<std::string> files;  // that use others
  std::vector<std::string> used;   // those others
};

// All files below `root` that reach one of `files` by imports, without these, and which of `files`
// they reach; both sorted. Paths are absolute. `below`: where to look, as a rule FilesBelow(root).
Users UsersOf(project::FileTree* tree, const std::string& root, std::span<const std::string> files,
              std::span<const std::string> below);

// Those that discovery finds there by its defaults.
std::vector<std::string> FilesBelow(const std::string& folder);

// Is the folder the top of a project, so that looking through all of it makes sense? (The working
// directory may be a home directory.)
bool IsProjectTop(const std::string& folder);

}  // namespace torchleak::driver
