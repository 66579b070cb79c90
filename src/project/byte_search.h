// Searches over bytes, eight at a time: what std::string_view offers takes one character, or goes
// one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace torchleak::project {

namespace detail {

inline constexpr std::uint64_t kOnes = 0x0101010101010101;

inline std::uint64_t Load8(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}
// Is one of the eight bytes zero?
inline bool HasZero(std::uint64_t word) { return ((word - kOnes) & ~word & (kOnes << 7)) != 0; }
inline bool Has(std::uint64_t word, char byte) {
  return HasZero(word ^ (kOnes * static_cast<unsigned char>(byte)));
}

}  // namespace detail

// The first `a` or `b` in [from, to), else `to`.
inline std::size_t FindEither(std::string_view bytes, std::size_t from, std::size_t to, char a,
                              char b) {
  while (from + 8 <= to) {
    const std::uint64_t word = detail::Load8(bytes.data() + from);
    if (detail::Has(word, a) || detail::Has(word, b)) break;
    from += 8;
  }
  while (from < to && bytes[from] != a && bytes[from] != b) ++from;
  return from;
}

// The first quote of either kind or `#` in [from, to), else `to`. Or-ing 5 makes one character of
// the three (and of '&'), so one test does for eight bytes.
inline std::size_t FindQuoteOrHash(std::string_view bytes, std::size_t from, std::size_t to) {
  const auto is_one = [](char c) { return c == '"' || c == '\'' || c == '#'; };
  for (; from + 8 <= to; from += 8) {
    const std::uint64_t word = detail::Load8(bytes.data() + from) | (detail::kOnes * 5);
    if (!detail::Has(word, '\'')) continue;
    for (std::size_t i = from; i < from + 8; ++i) {
      if (is_one(bytes[i])) return i;
    }
  }
  while (from < to && !is_one(bytes[from])) ++from;
  return from;
}

}  // namespace torchleak::project
