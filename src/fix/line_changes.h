// What differs between two texts, line by line.
//
//   for (const LineChange& change : LineChanges(SplitLines(before), SplitLines(after))) …
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "fix/edits.h"

namespace torchleak::fix {

using Lines = std::vector<std::string_view>;

// With their line ends, which are "\n" only.
Lines SplitLines(std::string_view text);

// Lines [old_begin, old_end) become [new_begin, new_end).
struct LineChange {
  std::size_t old_begin, old_end, new_begin, new_end;
};
std::vector<LineChange> LineChanges(const Lines& before, const Lines& after);

// Edits that make `before` into `after`: whole lines, with the line ends of `after`. Sorted.
Edits EditsBetween(std::string_view before, std::string_view after);

}  // namespace torchleak::fix
