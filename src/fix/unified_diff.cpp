#include "fix/unified_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "fix/line_changes.h"

namespace torchleak::fix {
namespace {

class Writer {
 public:
  Writer(const Lines& before, const Lines& after, const DiffStyle& style)
      : before_(before), after_(after), style_(style) {}

  void Header(std::string_view path) {
    Colored("\x1b[1m", fmt::format("--- {}", path));
    Colored("\x1b[1m", fmt::format("+++ {}", path));
  }

  // The changes of one hunk.
  void Hunk(const LineChange* first, const LineChange* last) {
    const std::size_t lead = std::min(kDiffContext, first->old_begin);
    const std::size_t trail = std::min(kDiffContext, before_.size() - last->old_end);
    Colored("\x1b[36m",
            fmt::format("@@ -{} +{} @@", Range(first->old_begin - lead, last->old_end + trail),
                        Range(first->new_begin - lead, last->new_end + trail)));
    std::size_t at = first->old_begin - lead;
    for (const LineChange* change = first; change <= last; ++change) {
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
  const std::vector<LineChange> changes = LineChanges(old_lines, new_lines);
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
