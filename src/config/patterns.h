// PathPatterns: patterns of several configuration files, each relative to the folder of its own.
//
// Written as in .gitignore: one without a slash matches at any depth, one with a slash is relative
// to the folder; `../x` and absolute patterns are understood. The last that matches wins. A file
// counts as matched when a folder above it is.
//
//   PathPatterns patterns;
//   patterns.Add("tests/*", "/repo");
//   patterns.MatchesTree("/repo/tests/unit/a_test.py");  // true
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/ignore_file.h"

namespace torchleak::config {

class PathPatterns {
 public:
  void Add(std::string_view pattern, std::string_view absolute_folder);
  bool empty() const { return groups_.empty(); }

  // The path itself; what is above it does not matter. For walks, which enter no matched folder.
  bool Matches(std::string_view absolute_path, bool is_directory) const;
  // The path, or a folder above it and below the folder of the pattern.
  bool MatchesTree(std::string_view absolute_path, bool is_directory = false) const;

 private:
  struct Group {
    std::string prefix;  // absolute, ends with '/'
    IgnoreFile patterns;
  };
  // What is said of `part`, which is `whole` or a folder above it.
  std::optional<bool> Verdict(std::string_view part, std::string_view whole,
                              bool is_directory) const;

  std::vector<Group> groups_;
};

}  // namespace torchleak::config
