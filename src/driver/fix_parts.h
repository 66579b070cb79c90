// Which fixes of a round are to blame when it does not hold. Inner to fix_run.
//
// A fix that the failures point to, and that has its files to itself, is refused at once. Else the
// part is split at the suspects, so that the rest is settled by one trial more and not by one for
// each fix; the suspects are then tried one for each file, and what remains is halved.
#pragma once

#include <cstddef>
#include <map>
#include <string>
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

struct NextParts {
  FixPart refused;
  std::vector<FixPart> parts;  // to try instead, the most hopeful one last
};

NextParts SplitPart(const std::vector<FixCandidate>& candidates, const FixPart& part,
                    const Suspects& suspects);

// Why a candidate of a part that is refused does not hold.
const std::string& ReasonFor(std::size_t candidate, const Suspects& suspects);

}  // namespace torchleak::driver
