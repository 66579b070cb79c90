#include "driver/fix_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace torchleak::driver {
namespace {

using findings::Finding;

// A fix that ends a finding leaves the comment behind that suppressed another one there. The next
// round removes it.
constexpr std::string_view kUnusedSuppression = "TLK001";

using RowKey = std::tuple<std::string_view, std::string_view, std::uint32_t>;
using LineKey = std::tuple<std::string_view, std::string_view, std::string_view, std::string>;

std::uint32_t RowOf(const FindingSet& set, const Finding& finding) {
  const text::Source* source = set.SourceOf(finding.location.path);
  return source == nullptr ? 0 : source->RowOf(finding.location.span.begin);
}

LineKey LineKeyOf(const FindingSet& set, const Finding& finding) {
  const text::Source* source = set.SourceOf(finding.location.path);
  std::string line;
  if (source != nullptr) {
    line = findings::NormalizedLine(source->Line(source->RowOf(finding.location.span.begin)));
  }
  return {finding.location.path, finding.code, finding.function, std::move(line)};
}

// The row on which a place of `before` starts afterwards. 0 where nothing is found any more.
std::uint32_t MovedRow(const FindingSet& before, const fix::EditSet& edits, const FindingSet& after,
                       const findings::Location& place) {
  const auto of_file = edits.find(place.path);
  const text::Source* source = (of_file == edits.end() ? before : after).SourceOf(place.path);
  if (source == nullptr) return 0;
  const std::uint32_t begin = place.span.begin;
  return source->RowOf(of_file == edits.end() ? begin : fix::MovedOffset(begin, of_file->second));
}
std::uint32_t MovedRow(const FindingSet& before, const fix::EditSet& edits, const FindingSet& after,
                       const Finding& finding) {
  return MovedRow(before, edits, after, finding.location);
}

// Findings by key, each of which may be taken once.
template <typename Key>
class Pool {
 public:
  void Put(Key key, std::size_t index) { pool_[std::move(key)].push_back(index); }
  // Takes one that `used` does not hold.
  bool Take(const Key& key, std::unordered_set<std::size_t>* used) {
    auto it = pool_.find(key);
    if (it == pool_.end()) return false;
    return std::any_of(it->second.begin(), it->second.end(),
                       [&](std::size_t index) { return used->insert(index).second; });
  }

 private:
  std::map<Key, std::vector<std::size_t>> pool_;
};

std::vector<const Finding*> Unexpected(const FindingSet& before,
                                       const std::vector<const Finding*>& fixed,
                                       const fix::EditSet& edits, const FindingSet& after) {
  const std::unordered_set<const Finding*> ended(fixed.begin(), fixed.end());
  Pool<RowKey> rows;
  Pool<LineKey> lines;
  for (std::size_t i = 0; i < before.findings.size(); ++i) {
    const Finding& finding = before.findings[i];
    if (ended.contains(&finding)) continue;
    rows.Put({finding.location.path, finding.code, MovedRow(before, edits, after, finding)}, i);
    lines.Put(LineKeyOf(before, finding), i);
  }
  std::unordered_set<std::size_t> used;
  std::vector<const Finding*> moved_away, unexpected;
  for (const Finding& finding : after.findings) {
    const RowKey key{finding.location.path, finding.code, RowOf(after, finding)};
    if (!rows.Take(key, &used)) moved_away.push_back(&finding);
  }
  for (const Finding* finding : moved_away) {
    if (finding->code == kUnusedSuppression) continue;
    if (!lines.Take(LineKeyOf(after, *finding), &used)) unexpected.push_back(finding);
  }
  return unexpected;
}

// Does it stand on the path of a finding of another rule that was fixed, and is no worse?
bool IsRest(const Finding& found, const FindingSet& before,
            const std::vector<const Finding*>& fixed, const fix::EditSet& edits,
            const FindingSet& after) {
  const std::uint32_t row = RowOf(after, found);
  const auto stands = [&](const findings::Location& place) {
    return place.path == found.location.path && MovedRow(before, edits, after, place) == row;
  };
  return std::any_of(fixed.begin(), fixed.end(), [&](const Finding* old) {
    return old->code != found.code && old->severity >= found.severity &&
           (stands(old->location) ||
            std::any_of(old->flow.begin(), old->flow.end(),
                        [&](const findings::Step& step) { return stands(step.location); }));
  });
}

// Of the findings that were to be fixed, the one that `found` is: still there, or moved on to
// another place of its function, as with rules that report the first of many.
FixFailure FailureOf(const Finding& found, const FindingSet& before,
                     const std::vector<const Finding*>& fixed, const fix::EditSet& edits,
                     const FindingSet& after) {
  const std::string& path = found.location.path;
  const std::uint32_t row = RowOf(after, found);
  const LineKey line = LineKeyOf(after, found);
  std::vector<std::size_t> of_function;
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    const Finding& old = *fixed[i];
    if (old.location.path != path || old.code != found.code) continue;
    if (MovedRow(before, edits, after, old) == row || LineKeyOf(before, old) == line) {
      return {path, "the finding would still be there", i};
    }
    if (old.function == found.function) of_function.push_back(i);
  }
  if (of_function.size() == 1) {
    return {path, fmt::format("the finding would move to line {}", row), of_function.front()};
  }
  return {path, fmt::format("{} would appear in {}:{}", found.code, path, row)};
}

}  // namespace

std::vector<FixFailure> CompareFindings(
    const FindingSet& before, const std::vector<const findings::Finding*>& fixed,
    const fix::EditSet& edits, const FindingSet& after,
    const std::function<bool(const findings::Finding&)>& can_follow) {
  std::vector<FixFailure> failures;
  for (const Finding* found : Unexpected(before, fixed, edits, after)) {
    if (IsRest(*found, before, fixed, edits, after) && can_follow(*found)) continue;
    failures.push_back(FailureOf(*found, before, fixed, edits, after));
  }
  for (const Notification& notification : after.notifications) {
    const auto& old = before.notifications;
    if (std::find(old.begin(), old.end(), notification) != old.end()) continue;
    failures.push_back(
        {notification.path, fmt::format("{}: {}", notification.path, notification.message)});
  }
  return failures;
}

}  // namespace torchleak::driver
