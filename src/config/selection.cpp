// Selectors of a layer are applied from the vaguest to the most exact, `select` before `ignore`
// within one exactness: the last word on each rule is the most exact one.
#include "config/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace torchleak::config {
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
  int turn;               // within one exactness the later one wins
  bool selects;
};

constexpr std::size_t kExact = static_cast<std::size_t>(-1);
// What a layer selects by name beats what earlier ones ignore by the same name.
constexpr int kIgnoredBefore = 0, kSelected = 1, kIgnored = 2;

bool Matches(const Selector& selector, const engine::RuleInfo& info) {
  if (selector.exactness != kExact) return info.code.starts_with(selector.text);
  return info.code == selector.text || Upper(info.name) == selector.text;
}

std::optional<Selector> Parse(std::string_view word, int turn,
                              std::span<const engine::Rule* const> all) {
  std::string upper = Upper(word);
  const bool selects = turn == kSelected;
  if (upper == "ALL") return Selector{"", 0, turn, selects};
  Selector exact{upper, kExact, turn, selects}, prefix{upper, upper.size(), turn, selects};
  auto known = [all](const Selector& selector) {
    return std::any_of(all.begin(), all.end(),
                       [&](const engine::Rule* rule) { return Matches(selector, rule->info()); });
  };
  if (known(exact)) return exact;
  if (!upper.empty() && known(prefix)) return prefix;
  return std::nullopt;
}

class Layering {
 public:
  explicit Layering(std::span<const engine::Rule* const> all) : all_(all) {
    for (const engine::Rule* rule : all_) state_.push_back(rule->info().on_by_default);
  }

  // Returns what is wrong with a selector, if any.
  std::string Apply(const Selection& layer) {
    selectors_.clear();
    if (layer.select) {
      std::fill(state_.begin(), state_.end(), false);
      Add(ignored_before_, kIgnoredBefore);
      Add(*layer.select, kSelected);
    }
    Add(layer.extend_select, kSelected);
    Add(layer.ignore, kIgnored);
    if (!problem_.empty()) return problem_;
    std::stable_sort(
        selectors_.begin(), selectors_.end(), [](const Selector& a, const Selector& b) {
          return a.exactness != b.exactness ? a.exactness < b.exactness : a.turn < b.turn;
        });
    for (std::size_t i = 0; i < all_.size(); ++i) {
      for (const Selector& selector : selectors_) {
        if (Matches(selector, all_[i]->info())) state_[i] = selector.selects;
      }
    }
    ignored_before_.insert(ignored_before_.end(), layer.ignore.begin(), layer.ignore.end());
    return {};
  }

  Rules Selected() const {
    Rules rules;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (state_[i]) rules.push_back(all_[i]);
    }
    return rules;
  }

 private:
  void Add(const std::vector<std::string>& words, int turn) {
    for (const std::string& word : words) {
      if (auto selector = Parse(word, turn, all_)) {
        selectors_.push_back(*std::move(selector));
      } else if (problem_.empty()) {
        problem_ = SelectorProblem(word, all_);
      }
    }
  }

  std::span<const engine::Rule* const> all_;
  std::vector<bool> state_;  // of each rule: selected so far
  std::vector<Selector> selectors_;
  std::vector<std::string> ignored_before_;
  std::string problem_;
};

}  // namespace

bool Contains(const Rules& rules, std::string_view code) {
  return std::any_of(rules.begin(), rules.end(),
                     [code](const engine::Rule* rule) { return rule->info().code == code; });
}

text::Result<Rules> SelectRules(std::span<const Selection> layers,
                                std::span<const engine::Rule* const> all) {
  Layering layering(all);
  for (const Selection& layer : layers) {
    if (std::string problem = layering.Apply(layer); !problem.empty()) return text::Error{problem};
  }
  return layering.Selected();
}

Rules Matching(std::string_view word, std::span<const engine::Rule* const> all) {
  Rules rules;
  const auto selector = Parse(word, kSelected, all);
  for (const engine::Rule* rule : all) {
    if (selector && Matches(*selector, rule->info())) rules.push_back(rule);
  }
  return rules;
}

std::string SelectorProblem(std::string_view word, std::span<const engine::Rule* const> all) {
  if (Parse(word, kSelected, all)) return {};
  std::string_view nearest = engine::NearestRule(word);
  if (nearest.empty()) {
    return fmt::format("unknown rule '{}'; `torchleak rule --all` lists them", word);
  }
  return fmt::format("unknown rule '{}'; did you mean '{}'?", word, nearest);
}

std::string Canonical(std::string_view selector) {
  const engine::Rule* rule = engine::FindRule(selector);
  return rule != nullptr ? std::string(rule->info().code) : Upper(selector);
}

}  // namespace torchleak::config
