// Patterns as .gitignore has them: in order, the last that matches wins. Excludes, per-file-ignores
// and the ignore files themselves are made of them.
//
//   IgnoreFile patterns("*.py\n!keep.py\n");
//   patterns.Matches("pkg/a.py", /*is_directory=*/false);  // true
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "config/glob.h"

namespace torchleak::config {

// Trailing blanks do not count unless a backslash keeps them.
std::string_view WithoutTrailingBlanks(std::string_view line);

class IgnoreFile {
 public:
  IgnoreFile() = default;
  // `text` is the whole file: blank lines, comments, negations, dir-only and anchored patterns.
  explicit IgnoreFile(std::string_view text);

  void Add(std::string_view line);
  bool empty() const { return patterns_.empty(); }

  // `relative` is the path below the file's directory. True: ignored; false: re-included by a
  // negated pattern; nothing: no pattern speaks of it.
  std::optional<bool> Matches(std::string_view relative, bool is_directory) const;

 private:
  struct Pattern {
    Glob glob;
    bool negated, directory_only;
    bool anchored;  // else it is matched with the last segment of the path alone
  };
  std::vector<Pattern> patterns_;
};

}  // namespace torchleak::config
