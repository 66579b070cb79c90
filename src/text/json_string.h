// The inside of JSON strings: escapes to UTF-8 and back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace torchleak::text {

// One character of a JSON string and its UTF-8.
struct JsonChar {
  std::size_t raw_size = 1;  // bytes in the JSON; 6 for \u00e9, 12 for a surrogate pair
  std::uint8_t size = 1;     // bytes of UTF-8
  std::array<char, 4> utf8{};
};

// The character at `at` of a string whose escapes are valid (JsonTokens sees to that). Half a
// surrogate pair is U+FFFD, for it has no UTF-8; so is NUL, which no Python source may hold.
JsonChar JsonCharAt(std::string_view inside, std::size_t at);

std::string DecodeJson(std::string_view inside);

// Python's json.dumps without the quotes, with `ensure_ascii` or not.
std::string EscapeJson(std::string_view utf8, bool ensure_ascii);

}  // namespace torchleak::text
