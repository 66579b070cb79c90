// The ends of strings and comments, which is all of Python's lexing that this layer needs.
#pragma once

#include <cstddef>
#include <string_view>

namespace torchleak::project {

// Where the string or comment that starts at `begin`, with a quote or `#`, ends: behind the closing
// quote; at the line end for a comment or a string left open; at the end of `bytes` for a string in
// triple quotes left open. `is_triple` is set for the latter kind.
std::size_t SkipToken(std::string_view bytes, std::size_t begin, bool* is_triple);

}  // namespace torchleak::project
