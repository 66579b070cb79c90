// Code points of UTF-8 text. Inner to this layer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace torchleak::report {

inline constexpr char32_t kReplacement = 0xFFFD;

// Decodes the code point at `*at` and moves `*at` behind it. A byte that starts no valid sequence
// gives U+FFFD and is one byte long. `*at` must be below text.size().
char32_t NextCodePoint(std::string_view text, std::size_t* at);

void AppendUtf8(std::string* out, char32_t code);

}  // namespace torchleak::report
