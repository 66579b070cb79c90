#include "driver/fix_parts.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

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

// Those of the part that are to blame for certain, and that no other fix of it could have spoiled.
FixPart Guilty(const std::vector<FixCandidate>& candidates, const FixPart& part,
               const Suspects& suspects) {
  std::map<std::string_view, std::size_t> fixes_of_file;
  for (const std::size_t i : part) {
    for (const auto& [path, edits] : candidates[i].edits) ++fixes_of_file[path];
  }
  FixPart guilty;
  for (const std::size_t i : part) {
    const auto suspect = suspects.find(i);
    if (suspect == suspects.end() || !suspect->second.certain) continue;
    const fix::EditSet& edits = candidates[i].edits;
    const bool alone = std::all_of(edits.begin(), edits.end(),
                                   [&](const auto& e) { return fixes_of_file[e.first] == 1; });
    if (alone) guilty.push_back(i);
  }
  return guilty;
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

NextParts SplitPart(const std::vector<FixCandidate>& candidates, const FixPart& part,
                    const Suspects& suspects) {
  if (part.size() == 1) return {part, {}};
  if (FixPart guilty = Guilty(candidates, part, suspects); !guilty.empty()) {
    FixPart rest;
    std::set_difference(part.begin(), part.end(), guilty.begin(), guilty.end(),
                        std::back_inserter(rest));
    if (rest.empty()) return {std::move(guilty), {}};
    return {std::move(guilty), {std::move(rest)}};
  }
  FixPart suspected, others;
  for (const std::size_t i : part) (suspects.contains(i) ? suspected : others).push_back(i);
  if (others.empty()) others = TakeOneForEachFile(candidates, &suspected);
  if (!suspected.empty() && !others.empty()) return {{}, {std::move(suspected), std::move(others)}};
  const auto half = part.begin() + static_cast<std::ptrdiff_t>(part.size() / 2);
  return {{}, {FixPart(half, part.end()), FixPart(part.begin(), half)}};
}

const std::string& ReasonFor(std::size_t candidate, const Suspects& suspects) {
  const auto it = suspects.find(candidate);
  return (it != suspects.end() ? it : suspects.begin())->second.reason;
}

}  // namespace torchleak::driver
