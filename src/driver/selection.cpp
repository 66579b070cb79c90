// Selectors are applied from the vaguest to the most exact, --select before --ignore within one
// exactness: the last word on each rule is the most exact one.
#include "driver/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace torchleak::driver {
namespace {

std::string Upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return result;
}

struct Selector {
  std::string text;       // upper case; empty selects every rule
  std::size_t exactness;  // 0 for ALL, length of a prefix, kExact for a name or a whole code
  bool selects;
};

constexpr std::size_t kExact = static_cast<std::size_t>(-1);

bool Matches(const Selector& selector, const engine::RuleInfo& info) {
  if (selector.exactness != kExact) return info.code.starts_with(selector.text);
  return info.code == selector.text || Upper(info.name) == selector.text;
}

text::Result<Selector> Parse(const std::string& word, bool selects,
                             std::span<const engine::Rule* const> all) {
  std::string upper = Upper(word);
  if (upper == "ALL") return Selector{"", 0, selects};
  Selector exact{upper, kExact, selects}, prefix{upper, upper.size(), selects};
  auto known = [all](const Selector& selector) {
    return std::any_of(all.begin(), all.end(),
                       [&](const engine::Rule* rule) { return Matches(selector, rule->info()); });
  };
  if (known(exact)) return exact;
  if (!upper.empty() && known(prefix)) return prefix;
  std::string_view nearest = engine::NearestRule(word);
  if (nearest.empty()) {
    return text::Error{fmt::format("unknown rule '{}'; `torchleak rule --all` lists them", word)};
  }
  return text::Error{fmt::format("unknown rule '{}'; did you mean '{}'?", word, nearest)};
}

}  // namespace

text::Result<std::vector<const engine::Rule*>> SelectRules(
    const RuleSelection& selection, std::span<const engine::Rule* const> all) {
  std::vector<Selector> selectors;
  if (selection.select.empty()) selectors.push_back({"", 0, true});
  auto add = [&](const std::vector<std::string>& words, bool selects) -> std::string {
    for (const std::string& word : words) {
      auto selector = Parse(word, selects, all);
      if (!selector) return selector.error().message;
      selectors.push_back(*selector);
    }
    return {};
  };
  for (const std::string& failed : {add(selection.select, true), add(selection.extend_select, true),
                                    add(selection.ignore, false)}) {
    if (!failed.empty()) return text::Error{failed};
  }
  std::stable_sort(selectors.begin(), selectors.end(), [](const Selector& a, const Selector& b) {
    return a.exactness != b.exactness ? a.exactness < b.exactness : a.selects && !b.selects;
  });
  std::vector<const engine::Rule*> rules;
  for (const engine::Rule* rule : all) {
    bool selected = false;
    for (const Selector& selector : selectors) {
      if (Matches(selector, rule->info())) selected = selector.selects;
    }
    if (selected) rules.push_back(rule);
  }
  return rules;
}

}  // namespace torchleak::driver
