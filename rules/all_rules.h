// What the rules' sources define: for each line of all_rules.def a function that returns the rule,
// which lives as long as the program. engine::AllRules() has them all.
//
//   const engine::Rule& AccumulatedTensor();
#pragma once

#include "engine/rule.h"

namespace torchleak::rules {

#define TORCHLEAK_RULE(code, function) const engine::Rule& function();
#include "rules/all_rules.def"
#undef TORCHLEAK_RULE

}  // namespace torchleak::rules
