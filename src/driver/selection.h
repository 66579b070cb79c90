// Which rules a run uses: --select, --extend-select and --ignore put together.
//
// A selector is a code (TLK101), the beginning of one (TLK1, TLK), a name (accumulated-tensor) or
// ALL, in any letter case. The more exact selector wins: `--select TLK101 --ignore TLK1` keeps
// TLK101; between equals --ignore wins.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/rule.h"
#include "text/result.h"

namespace torchleak::driver {

struct RuleSelection {
  std::vector<std::string> select;  // empty: every rule
  std::vector<std::string> extend_select;
  std::vector<std::string> ignore;
};

// In code order, possibly none. Fails on a selector that matches nothing, and names the nearest
// known.
text::Result<std::vector<const engine::Rule*>> SelectRules(
    const RuleSelection& selection, std::span<const engine::Rule* const> all);

}  // namespace torchleak::driver
