#include "driver/suppression_pass.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "suppress/suppressions.h"

namespace torchleak::driver {
namespace {

using findings::Finding;

void Append(std::vector<Finding> more, std::vector<Finding>* all) {
  std::move(more.begin(), more.end(), std::back_inserter(*all));
}

bool IsAboutSuppressions(const engine::Rule* rule) {
  const std::string_view code = rule->info().code;
  return code == suppress::kUnusedCode || code == suppress::kInvalidCode;
}

// What is to be said of the suppressions, once they have been applied.
std::vector<Finding> Complaints(const suppress::Suppressions& suppressions,
                                const SuppressionOptions& options) {
  std::vector<std::string_view> checked;
  for (const engine::Rule* rule : options.rules) checked.push_back(rule->info().code);
  const auto is_checked = [&](std::string_view code) {
    return std::find(checked.begin(), checked.end(), code) != checked.end();
  };
  std::vector<Finding> complaints;
  const bool judges = options.judge_unused && !options.ignore_noqa;
  if (judges && is_checked(suppress::kUnusedCode))
    Append(suppressions.Unused(checked), &complaints);
  if (is_checked(suppress::kInvalidCode)) Append(suppressions.Invalid(), &complaints);
  return complaints;
}

}  // namespace

std::span<const suppress::KnownRule> KnownRules() {
  static const std::vector<suppress::KnownRule> kKnown = [] {
    std::vector<suppress::KnownRule> known;
    for (const engine::Rule* rule : engine::AllRules())
      known.push_back({rule->info().code, rule->info().name, rule->info().on_by_default});
    return known;
  }();
  return kKnown;
}

std::vector<const engine::Rule*> RulesOfCode(std::span<const engine::Rule* const> rules) {
  std::vector<const engine::Rule*> some(rules.begin(), rules.end());
  std::erase_if(some, IsAboutSuppressions);
  return some;
}

std::vector<const engine::Rule*> RulesOfSuppressions(std::span<const engine::Rule* const> rules) {
  std::vector<const engine::Rule*> some(rules.begin(), rules.end());
  std::erase_if(some, [](const engine::Rule* rule) { return !IsAboutSuppressions(rule); });
  return some;
}

std::vector<findings::Suppressed> ApplySuppressions(const text::Source& source,
                                                    const syntax::Tree& tree,
                                                    const SuppressionOptions& options,
                                                    std::vector<Finding>* found) {
  auto suppressions = suppress::Suppressions::Parse(source, tree, KnownRules());
  std::vector<findings::Suppressed> silenced;
  if (!options.ignore_noqa) silenced = suppressions.Apply(found);
  std::vector<Finding> complaints = Complaints(suppressions, options);
  std::stable_sort(complaints.begin(), complaints.end(), findings::Before);
  findings::SetFingerprints(complaints, source.path(), source);
  if (!options.ignore_noqa) {
    for (findings::Suppressed& s : suppressions.Apply(&complaints))
      silenced.push_back(std::move(s));
  }
  if (complaints.empty()) return silenced;
  Append(std::move(complaints), found);
  std::stable_sort(found->begin(), found->end(), findings::Before);
  return silenced;
}

std::map<std::string, suppress::AddedNoqa> NoqaFor(const FindingSet& set, std::string_view reason) {
  std::map<std::string, std::vector<Finding>> by_path;
  for (const Finding& finding : set.findings) by_path[finding.location.path].push_back(finding);
  std::map<std::string, suppress::AddedNoqa> added;
  for (const auto& [path, found] : by_path) {
    const text::Source* source = set.SourceOf(path);
    if (source == nullptr) continue;
    added.emplace(path,
                  suppress::AddNoqa(*source, syntax::Parse(*source), found, KnownRules(), reason));
  }
  return added;
}

NoqaTotals WriteNoqa(const FindingSet& set, std::string_view reason, const WriteEdits& write) {
  NoqaTotals totals;
  for (const auto& [path, added] : NoqaFor(set, reason)) {
    totals.skipped += added.skipped;
    if (added.edits.empty()) continue;
    const auto written = write(*set.SourceOf(path), added.edits);
    if (!written) {
      totals.errors.push_back({path, written.error().message, Notification::Level::kError});
      continue;
    }
    totals.directives += added.edits.size();
    ++totals.files;
  }
  return totals;
}

}  // namespace torchleak::driver
