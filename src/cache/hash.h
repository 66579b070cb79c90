// Hash128: XXH3 with 128 bits. Two files with the same hash are taken to be the same.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace torchleak::cache {

struct Hash128 {
  std::uint64_t low = 0, high = 0;
  auto operator<=>(const Hash128&) const = default;
};

Hash128 HashOf(std::string_view bytes);
std::string Hex(const Hash128& hash);  // 32 digits

// Of the program that runs, so that no other build's answers are taken for its own; zero when its
// file cannot be read. Read once.
Hash128 HashOfThisProgram();

}  // namespace torchleak::cache
