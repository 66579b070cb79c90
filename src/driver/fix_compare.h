// CompareFindings: does the code with fixes have only the findings that it should have?
//
// Every finding that is not to be fixed may still be there: on the row where its row has moved to,
// or, when that row was written anew, in the same function on a line that reads the same. What is
// found beyond these is either a finding that its fix did not end, or a new one. A new one is let
// pass when it is what was left of a worse one, and the next round can mend it: outputs that are
// kept without their graph are still on the device.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "driver/check.h"
#include "fix/choose.h"

namespace torchleak::driver {

// Why fixes are not accepted, and which of them may be to blame.
struct FixFailure {
  std::string path;    // where it shows
  std::string reason;  // "the finding would still be there"
  // Index into `fixed` of the one fix that is to blame; kUnknown: any that touches `path`, or any
  // at all when none does.
  static constexpr std::size_t kUnknown = static_cast<std::size_t>(-1);
  std::size_t blamed = kUnknown;
};

// `fixed` are findings of `before` that `edits` are meant to end; `after` are those of the files
// with the edits made. `can_follow`: a later round may fix that finding.
std::vector<FixFailure> CompareFindings(
    const FindingSet& before, const std::vector<const findings::Finding*>& fixed,
    const fix::EditSet& edits, const FindingSet& after,
    const std::function<bool(const findings::Finding&)>& can_follow);

}  // namespace torchleak::driver
