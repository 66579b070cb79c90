// Mutations: what happens to code that is half written, badly merged or damaged.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace torchleak::tests {

// A small generator whose numbers are the same with every library: SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t Next();
  std::size_t Below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(Next() % n); }

 private:
  std::uint64_t state_;
};

// `code` after one to four random mutations; `other` lends lines.
std::string Mutate(std::string_view code, std::string_view other, Random& random);

}  // namespace torchleak::tests
