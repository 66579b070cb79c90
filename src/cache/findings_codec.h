// Findings as bytes, and back.
//
// A finding refers to its rule's constants by string_view; after the round trip it does so again,
// which is why reading needs somebody who knows the rules.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "cache/codec.h"
#include "findings/finding.h"
#include "findings/suppressed.h"

namespace torchleak::cache {

// The constants of a rule, or nothing when there is no such rule here.
struct RuleNames {
  std::string_view code, name;
};
using FindRule = std::function<std::optional<RuleNames>(std::string_view code)>;

void Write(const std::vector<findings::Finding>& findings, Writer* writer);
void Write(const std::vector<findings::Suppressed>& suppressed, Writer* writer);
// Leaves `reader` failed when these are no findings of known rules.
std::vector<findings::Finding> ReadFindings(const FindRule& find_rule, Reader* reader);
std::vector<findings::Suppressed> ReadSuppressed(const FindRule& find_rule, Reader* reader);

}  // namespace torchleak::cache
