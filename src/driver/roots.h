// How far up a file's imports are looked for.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace torchleak::driver {

// For each file: the nearest folder above it that holds `.git`; else the working directory, else
// the folder given by hand, when it lies below; else the nearest folder with pyproject.toml or
// setup.py; else the folder that holds its outermost package.
// All paths absolute and normal; the result is sorted. A file's root does not depend on the others.
std::vector<std::string> ImportRoots(std::span<const std::string> files,
                                     std::span<const std::string> given_folders,
                                     const std::string& working_directory);

}  // namespace torchleak::driver
