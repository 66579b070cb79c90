#include "config/contradiction.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "config/selection.h"

namespace torchleak::config {
namespace {

// A selector that stands in both lists.
std::optional<Contradiction> Both(const Layer& layer, std::string_view wanted,
                                  std::string_view unwanted) {
  const Value* a = layer.Find(wanted);
  const Value* b = layer.Find(unwanted);
  if (a == nullptr || b == nullptr) return std::nullopt;
  for (const std::string& word : b->words) {
    const std::string canonical = Canonical(word);
    for (const std::string& other : a->words) {
      if (Canonical(other) != canonical) continue;
      const std::string same = other == word ? "" : fmt::format(" (as '{}')", other);
      return Contradiction{std::string(unwanted),
                           fmt::format("'{}' is in '{}' and also in '{}'{}; remove one of them",
                                       word, unwanted, wanted, same)};
    }
  }
  return std::nullopt;
}

// Two severities for one rule, by code and by name.
std::optional<Contradiction> TwoSeverities(const Layer& layer) {
  const Value* severity = layer.Find("severity");
  if (severity == nullptr) return std::nullopt;
  const auto& entries = severity->entries;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (Canonical(entries[i].key) != Canonical(entries[k].key)) continue;
      return Contradiction{"severity", fmt::format("'{}' and '{}' are one rule; remove one of them",
                                                   entries[k].key, entries[i].key)};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Contradiction> FindContradiction(const Layer& layer) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kOpposites = {
      {{"select", "ignore"}, {"extend-select", "ignore"}, {"fixable", "unfixable"}}};
  for (const auto& [wanted, unwanted] : kOpposites) {
    if (auto found = Both(layer, wanted, unwanted)) return found;
  }
  if (auto found = TwoSeverities(layer)) return found;
  const Value* fix = layer.Find("fix");
  const Value* fix_only = layer.Find("fix-only");
  if (fix != nullptr && !fix->flag && fix_only != nullptr && fix_only->flag) {
    return Contradiction{"fix-only", "'fix-only' is on and 'fix' is off; remove one of them"};
  }
  return std::nullopt;
}

}  // namespace torchleak::config
