// Optimal string alignment distance, three rows at a time.
#include "findings/nearest.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace torchleak::findings {
namespace {

constexpr std::size_t kLongest = 64;
using Row = std::array<std::size_t, kLongest + 1>;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::size_t Distance(std::string_view a, std::string_view b) {
  Row before{};
  Row above{};
  Row current{};
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = Lower(a[i - 1]) == Lower(b[j - 1]);
      current[j] = std::min({above[j] + 1, current[j - 1] + 1, above[j - 1] + (same ? 0u : 1u)});
      const bool swapped = i > 1 && j > 1 && Lower(a[i - 1]) == Lower(b[j - 2]) &&
                           Lower(a[i - 2]) == Lower(b[j - 1]);
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
    before = above;
    above = current;
  }
  return above[b.size()];
}

}  // namespace

std::string_view Nearest(std::string_view misspelt, std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t best_distance = kLongest + 1;
  if (misspelt.size() > kLongest) return best;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    const std::size_t distance = Distance(misspelt, candidate);
    const std::size_t longer = std::max(misspelt.size(), candidate.size());
    if (distance * 3 > longer || distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

}  // namespace torchleak::findings
