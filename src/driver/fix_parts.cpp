#include "driver/fix_parts.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace torchleak::driver {
namespace {

// Takes the first fix of each file out of the part: no other can have made one of these fail.
FixPart TakeOneForEachFile(const std::vector<FixCandidate>& candidates, FixPart* part) {
  std::set<std::string_view> seen;
  FixPart first, rest;
  for (const std::size_t i : *part) {
    const fix::EditSet& edits = candidates[i].edits;
    const bool fresh = std::none_of(edits.begin(), edits.end(),
                                    [&](const auto& e) { return seen.contains(e.first); });
    (fresh ? first : rest).push_back(i);
    for (const auto& [path, of_file] : edits) seen.insert(path);
  }
  *part = std::move(rest);
  return first;
}

bool AllCertain(const FixPart& part, const Suspects& suspects) {
  return std::all_of(part.begin(), part.end(), [&](std::size_t i) {
    const auto it = suspects.find(i);
    return it != suspects.end() && it->second.certain;
  });
}

}  // namespace

void Suspect(const std::vector<FixCandidate>& candidates, const FixPart& among,
             const FixFailure& failure, Suspects* suspects) {
  FixPart touching;
  for (const std::size_t i : among) {
    if (candidates[i].edits.contains(failure.path)) touching.push_back(i);
  }
  const FixPart& suspected = touching.empty() ? among : touching;
  for (const std::size_t i : suspected) {
    Suspicion& suspicion = (*suspects)[i];
    if (suspicion.reason.empty()) suspicion.reason = failure.reason;
    suspicion.certain |= suspected.size() == 1;
  }
}

std::optional<std::pair<FixPart, FixPart>> SplitPart(const std::vector<FixCandidate>& candidates,
                                                     const FixPart& part,
                                                     const Suspects& suspects) {
  FixPart suspected, others;
  for (const std::size_t i : part) (suspects.contains(i) ? suspected : others).push_back(i);
  if (others.empty()) others = TakeOneForEachFile(candidates, &suspected);
  if (!suspected.empty()) return std::pair(std::move(others), std::move(suspected));
  if (part.size() == 1 || AllCertain(part, suspects)) return std::nullopt;
  const auto half = part.begin() + static_cast<std::ptrdiff_t>(part.size() / 2);
  return std::pair(FixPart(part.begin(), half), FixPart(half, part.end()));
}

const std::string& ReasonFor(std::size_t candidate, const Suspects& suspects) {
  const auto it = suspects.find(candidate);
  return (it != suspects.end() ? it : suspects.begin())->second.reason;
}

}  // namespace torchleak::driver
