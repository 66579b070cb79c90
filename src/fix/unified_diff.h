// UnifiedDiff: before and after as `diff -u` shows them, for `patch -p0` and `git apply -p0`.
#pragma once

#include <string>
#include <string_view>

namespace torchleak::fix {

struct DiffStyle {
  bool color = false;
  bool for_patch = true;  // names as `patch` wants them; false: as they are
};

// Lines of context around a change, as in git.
inline constexpr std::size_t kDiffContext = 3;

// Empty when nothing differs. Lines end at "\n" only and are given byte by byte, so that line ends
// and encodings survive.
std::string UnifiedDiff(std::string_view path, std::string_view before, std::string_view after,
                        const DiffStyle& style = {});

}  // namespace torchleak::fix
