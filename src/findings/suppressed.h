// Suppressed: a finding that a comment in the code silences, and what that comment says of it.
//
//   losses.append(loss)  # torchleak: ignore[TLK101] two batches, then the process ends
//
// Reports leave these out, unless they are asked for (--sarif-full, the counts of -v).
#pragma once

#include <string>

#include "findings/finding.h"

namespace torchleak::findings {

struct Suppressed {
  Finding finding;
  Location comment;    // the directive: in the finding's file
  std::string reason;  // what was written behind the rules; may be empty
};

}  // namespace torchleak::findings
