// Glob: one gitignore-style pattern over '/'-separated relative paths.
//
// `*` and `?` stay inside one segment, `[a-z]`, `[!x]` and `[[:alpha:]]` are character classes, a
// whole segment `**` stands for any number of segments (at the end: for everything inside), a
// backslash takes the next character as it is. Bytes, not characters, as git does. Matching
// restarts only at the last star seen, so the cost is at most pattern × path: no pattern is
// exponential.
//
//   Glob glob("src/**/gen_*.py");
//   glob.Matches("src/a/b/gen_x.py");  // true
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torchleak::config {

class Glob {
 public:
  explicit Glob(std::string_view pattern);

  // The whole path, relative to wherever the pattern is anchored; no leading '/'.
  bool Matches(std::string_view path) const;

 private:
  std::vector<std::string> segments_;
};

// One segment against one name: no '/' in either.
bool MatchesSegment(std::string_view pattern, std::string_view name);

}  // namespace torchleak::config
