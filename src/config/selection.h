// Which rules a run uses: `select`, `extend-select` and `ignore` of the configuration and of the
// command line put together. The same serves `fixable` and `unfixable`.
//
// A selector is a code (TLK101), the beginning of one (TLK1, TLK), a name (accumulated-tensor) or
// ALL, in any letter case. Within one layer the more exact selector wins: `--select TLK101 --ignore
// TLK1` keeps TLK101; between equals `ignore` wins. A layer with `select` starts afresh and keeps
// only what earlier layers ignore; one without changes what the earlier ones left.
//
//   SelectRules({{{Selection{.select = {{"TLK1"}}}, Selection{.ignore = {"TLK102"}}}}, AllRules());
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/rule.h"
#include "text/result.h"

namespace torchleak::config {

using Rules = std::vector<const engine::Rule*>;  // in code order
bool Contains(const Rules& rules, std::string_view code);

struct Selection {
  std::optional<std::vector<std::string>> select;  // nothing: as the layers before
  std::vector<std::string> extend_select;
  std::vector<std::string> ignore;
};

// Before the first layer, the rules that are on by default are selected. Fails on a selector that
// matches nothing, and names the nearest known.
text::Result<Rules> SelectRules(std::span<const Selection> layers,
                                std::span<const engine::Rule* const> all);

// The rules that one selector means; empty when it is unknown.
Rules Matching(std::string_view selector, std::span<const engine::Rule* const> all);

// "unknown rule 'TLK9'; did you mean …?", or empty when the selector means something.
std::string SelectorProblem(std::string_view selector, std::span<const engine::Rule* const> all);

// One spelling for selectors that mean the same: the code for a name, capitals.
std::string Canonical(std::string_view selector);

}  // namespace torchleak::config
