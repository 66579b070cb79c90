// What .gitignore and its kin say about a path.
//
// A config::IgnoreFile is one such file. IgnoreLevel is one directory of a walk with the files
// found in it and a link to the level above; levels are immutable and shared, so a walk needs no
// stack discipline. Nearer files beat farther ones, and .ignore of any level beats .gitignore,
// which beats .git/info/exclude, which beats the user's global file: the same order as in git and
// ripgrep.
//
//   auto level = IgnoreLevel::Enter(nullptr, "/repo");
//   if (level->Ignores("/repo/build", /*is_directory=*/true)) …
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/ignore_file.h"

namespace torchleak::driver {

using config::IgnoreFile;

class IgnoreLevel {
 public:
  using Ptr = std::shared_ptr<const IgnoreLevel>;

  // Level of an absolute directory below `parent`. A directory that holds `.git` starts a
  // repository: .gitignore files above it no longer count. Returns `parent` itself when nothing is
  // new.
  static Ptr Enter(Ptr parent, const std::string& directory);
  // The levels above an absolute directory, up to the root of its repository (none outside of one),
  // on top of the user's global ignore file.
  static Ptr Above(const std::string& directory);

  bool Ignores(std::string_view absolute_path, bool is_directory) const;

 private:
  Ptr parent_;
  std::string prefix_;  // absolute, ends with '/'; empty for the global file
  IgnoreFile ignore_, gitignore_, exclude_;
  bool repository_root_ = false;
};

}  // namespace torchleak::driver
