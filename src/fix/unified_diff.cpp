// Myers' greedy algorithm on lines (An O(ND) Difference Algorithm, 1986), after what is the same at
// both ends is set aside. Its time and memory grow with the square of the number of changes: from
// kMostChanges on, the whole middle is shown as replaced.
#include "fix/unified_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace torchleak::fix {
namespace {

constexpr std::size_t kMostChanges = 2000;  // 16 MB

using Lines = std::vector<std::string_view>;

// With their line ends.
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

// Lines [old_begin, old_end) become [new_begin, new_end).
struct Change {
  std::size_t old_begin, old_end, new_begin, new_end;
};

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

  std::vector<Change> Changes() {
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

  std::vector<Change> WalkBack() const {
    std::vector<Change> changes;  // of one line each, last first
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
    std::vector<Change> joined;
    for (const Change& change : changes) {
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

class Writer {
 public:
  Writer(const Lines& before, const Lines& after, const DiffStyle& style)
      : before_(before), after_(after), style_(style) {}

  void Header(std::string_view path) {
    Colored("\x1b[1m", fmt::format("--- {}", path));
    Colored("\x1b[1m", fmt::format("+++ {}", path));
  }

  // The changes of one hunk.
  void Hunk(const Change* first, const Change* last) {
    const std::size_t lead = std::min(kDiffContext, first->old_begin);
    const std::size_t trail = std::min(kDiffContext, before_.size() - last->old_end);
    Colored("\x1b[36m",
            fmt::format("@@ -{} +{} @@", Range(first->old_begin - lead, last->old_end + trail),
                        Range(first->new_begin - lead, last->new_end + trail)));
    std::size_t at = first->old_begin - lead;
    for (const Change* change = first; change <= last; ++change) {
      for (; at < change->old_begin; ++at) Line(' ', before_[at], "");
      for (; at < change->old_end; ++at) Line('-', before_[at], "\x1b[31m");
      for (std::size_t i = change->new_begin; i < change->new_end; ++i)
        Line('+', after_[i], "\x1b[32m");
    }
    for (; at < last->old_end + trail; ++at) Line(' ', before_[at], "");
  }

  std::string Take() { return std::move(out_); }

 private:
  static std::string Range(std::size_t begin, std::size_t end) {
    const std::size_t size = end - begin;
    if (size == 1) return fmt::to_string(begin + 1);
    return fmt::format("{},{}", size == 0 ? begin : begin + 1, size);
  }

  void Line(char sign, std::string_view line, std::string_view color) {
    const bool ended = line.ends_with('\n');
    if (ended) line.remove_suffix(1);
    Colored(color, fmt::format("{}{}", sign, line));
    if (!ended) out_ += "\\ No newline at end of file\n";
  }

  void Colored(std::string_view color, std::string_view line) {
    const bool colored = style_.color && !color.empty();
    out_ += fmt::format("{}{}{}\n", colored ? color : "", line, colored ? "\x1b[0m" : "");
  }

  const Lines& before_;
  const Lines& after_;
  const DiffStyle& style_;
  std::string out_;
};

// As git writes names: a tab ends one with blanks, one with quotes or control characters is quoted.
std::string FileName(std::string_view path) {
  const bool odd = std::any_of(path.begin(), path.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\' || c == 0x7f;
  });
  if (!odd) return std::string(path) + (path.find(' ') == std::string_view::npos ? "" : "\t");
  std::string out = "\"";
  for (const char c : path) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\{:03o}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace

std::string UnifiedDiff(std::string_view path, std::string_view before, std::string_view after,
                        const DiffStyle& style) {
  if (before == after) return {};
  const Lines old_lines = SplitLines(before), new_lines = SplitLines(after);
  const std::vector<Change> changes = Comparison(old_lines, new_lines).Changes();
  Writer writer(old_lines, new_lines, style);
  writer.Header(style.for_patch ? FileName(path) : std::string(path));
  for (std::size_t i = 0; i < changes.size();) {
    std::size_t last = i;
    // Contexts that touch make one hunk.
    while (last + 1 < changes.size() &&
           changes[last + 1].old_begin - changes[last].old_end <= 2 * kDiffContext)
      ++last;
    writer.Hunk(&changes[i], &changes[last]);
    i = last + 1;
  }
  return writer.Take();
}

}  // namespace torchleak::fix
