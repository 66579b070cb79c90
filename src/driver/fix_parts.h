// Which fixes of a round are to blame when it does not hold. Inner to fix_run.
//
// A part that fails is split at those fixes that the failures point to, so that the rest is settled
// by one trial more and not by one for each fix; the suspects are then tried one for each file, and
// what remains is halved.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "driver/fix_compare.h"
#include "fix/choose.h"

namespace torchleak::driver {

struct FixCandidate {
  const findings::Finding* finding;
  fix::EditSet edits;
};

using FixPart = std::vector<std::size_t>;  // indexes of candidates, ascending

struct Suspicion {
  std::string reason;
  bool certain = false;  // no other fix of the part can have been it
};
using Suspects = std::map<std::size_t, Suspicion>;  // by candidate; empty: all holds

// Adds those of `among` that `failure` points to: they touch its file, or it is any of them.
void Suspect(const std::vector<FixCandidate>& candidates, const FixPart& among,
             const FixFailure& failure, Suspects* suspects);

// The two parts to try instead, the more hopeful one first; none: all of `part` are refused.
std::optional<std::pair<FixPart, FixPart>> SplitPart(const std::vector<FixCandidate>& candidates,
                                                     const FixPart& part, const Suspects& suspects);

// Why a candidate of a part that is refused does not hold.
const std::string& ReasonFor(std::size_t candidate, const Suspects& suspects);

}  // namespace torchleak::driver
