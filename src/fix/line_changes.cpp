// Myers' greedy algorithm on lines (An O(ND) Difference Algorithm, 1986), after what is the same at
// both ends is set aside. Its time and memory grow with the square of the number of changes: from
// kMostChanges on, the whole middle is shown as replaced.
#include "fix/line_changes.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace torchleak::fix {
namespace {

constexpr std::size_t kMostChanges = 2000;  // 16 MB

class Comparison {
 public:
  Comparison(const Lines& before, const Lines& after) : before_(before), after_(after) {
    const std::size_t shorter = std::min(before.size(), after.size());
    while (head_ < shorter && before[head_] == after[head_]) ++head_;
    std::size_t tail = 0;
    while (tail < shorter - head_ &&
           before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
      ++tail;
    rows_ = static_cast<std::int64_t>(before.size() - head_ - tail);
    columns_ = static_cast<std::int64_t>(after.size() - head_ - tail);
  }

  std::vector<LineChange> Changes() {
    if (rows_ == 0 && columns_ == 0) return {};
    if (!Search()) {
      return {{head_, head_ + static_cast<std::size_t>(rows_), head_,
               head_ + static_cast<std::size_t>(columns_)}};
    }
    return WalkBack();
  }

 private:
  std::int64_t Slide(std::int64_t x, std::int64_t k) const {
    while (x < rows_ && x - k < columns_ &&
           before_[head_ + static_cast<std::size_t>(x)] ==
               after_[head_ + static_cast<std::size_t>(x - k)])
      ++x;
    return x;
  }

  // reached_[d][k + d]: how far on diagonal k with d changes.
  std::int64_t At(std::int64_t d, std::int64_t k) const {
    return reached_[static_cast<std::size_t>(d)][static_cast<std::size_t>(k + d)];
  }
  bool ComesDown(std::int64_t d, std::int64_t k) const {  // by a line of `after`
    return k == -d || (k != d && At(d - 1, k - 1) < At(d - 1, k + 1));
  }

  bool Search() {
    for (std::int64_t d = 0; d <= static_cast<std::int64_t>(kMostChanges); ++d) {
      std::vector<std::int32_t> row(static_cast<std::size_t>(2 * d + 1));
      for (std::int64_t k = -d; k <= d; k += 2) {
        std::int64_t x = 0;
        if (d > 0) x = ComesDown(d, k) ? At(d - 1, k + 1) : At(d - 1, k - 1) + 1;
        x = Slide(x, k);  // may be past the end: then no way back leads here
        row[static_cast<std::size_t>(k + d)] = static_cast<std::int32_t>(x);
        if (x >= rows_ && x - k >= columns_) {
          reached_.push_back(std::move(row));
          return true;
        }
      }
      reached_.push_back(std::move(row));
    }
    return false;
  }

  std::vector<LineChange> WalkBack() const {
    std::vector<LineChange> changes;  // of one line each, last first
    std::int64_t x = rows_, y = columns_;
    for (auto d = static_cast<std::int64_t>(reached_.size()) - 1; d > 0; --d) {
      const std::int64_t k = x - y;
      const bool down = ComesDown(d, k);
      const std::int64_t from_k = down ? k + 1 : k - 1;
      const std::int64_t from_x = At(d - 1, from_k), from_y = from_x - from_k;
      const auto old_at = head_ + static_cast<std::size_t>(from_x);
      const auto new_at = head_ + static_cast<std::size_t>(from_y);
      changes.push_back({old_at, old_at + (down ? 0u : 1u), new_at, new_at + (down ? 1u : 0u)});
      x = from_x, y = from_y;
    }
    std::reverse(changes.begin(), changes.end());
    std::vector<LineChange> joined;
    for (const LineChange& change : changes) {
      if (!joined.empty() && joined.back().old_end == change.old_begin &&
          joined.back().new_end == change.new_begin) {
        joined.back().old_end = change.old_end;
        joined.back().new_end = change.new_end;
      } else {
        joined.push_back(change);
      }
    }
    return joined;
  }

  const Lines& before_;
  const Lines& after_;
  std::size_t head_ = 0;
  std::int64_t rows_, columns_;
  std::vector<std::vector<std::int32_t>> reached_;
};

}  // namespace

Lines SplitLines(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t size = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

std::vector<LineChange> LineChanges(const Lines& before, const Lines& after) {
  return Comparison(before, after).Changes();
}

Edits EditsBetween(std::string_view before, std::string_view after) {
  const Lines old_lines = SplitLines(before), new_lines = SplitLines(after);
  Edits edits;
  std::size_t line = 0;
  std::uint32_t offset = 0;
  const auto skip_to = [&](std::size_t end) {
    for (; line < end; ++line) offset += static_cast<std::uint32_t>(old_lines[line].size());
    return offset;
  };
  for (const LineChange& change : LineChanges(old_lines, new_lines)) {
    const std::uint32_t begin = skip_to(change.old_begin);
    std::string content;
    for (std::size_t i = change.new_begin; i < change.new_end; ++i) content += new_lines[i];
    edits.push_back({{begin, skip_to(change.old_end)}, std::move(content)});
  }
  return edits;
}

}  // namespace torchleak::fix
