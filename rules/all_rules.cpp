#include "rules/all_rules.h"

#include <array>

namespace torchleak::engine {

std::span<const Rule* const> AllRules() {
  static const std::array kRules{
#define TORCHLEAK_RULE(code, function) &rules::function(),
#include "rules/all_rules.def"
#undef TORCHLEAK_RULE
  };
  return kRules;
}

}  // namespace torchleak::engine
