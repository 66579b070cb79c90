// Edits that touch the same or neighbouring rows form a hunk; within one, lines that stay the same
// at both ends are not shown.
#include "report/fix_diff.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "report/common_ends.h"
#include "report/display_line.h"
#include "report/place.h"

namespace torchleak::report {
namespace {

constexpr std::size_t kLongest = 8;  // lines of a hunk shown on each side

struct Hunk {
  std::uint32_t first_row;
  std::uint32_t last_row;
  std::vector<const findings::Edit*> edits;  // in order
};

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (true) {
    const std::size_t end = text.find_first_of("\r\n");
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + (text.substr(end).starts_with("\r\n") ? 2 : 1));
  }
}

std::vector<Hunk> Hunks(const text::Source& source,
                        const std::vector<const findings::Edit*>& edits) {
  std::vector<Hunk> hunks;
  for (const findings::Edit* edit : edits) {
    const std::uint32_t first = source.RowOf(edit->location.span.begin);
    const std::uint32_t last = source.RowOf(edit->location.span.end);
    if (hunks.empty() || first > hunks.back().last_row + 1) hunks.push_back({first, last, {}});
    hunks.back().last_row = std::max(hunks.back().last_row, last);
    hunks.back().edits.push_back(edit);
  }
  return hunks;
}

std::string After(const text::Source& source, const Hunk& hunk, text::Span rows) {
  std::string text;
  std::uint32_t at = rows.begin;
  for (const findings::Edit* edit : hunk.edits) {
    text += source.Text({at, edit->location.span.begin});
    text += edit->content;
    at = edit->location.span.end;
  }
  text += source.Text({at, std::max(at, rows.end)});
  return text;
}

void DrawSide(const std::vector<std::string_view>& lines, std::size_t begin, std::size_t end,
              std::uint32_t first_row, bool added, const FrameStyle& style, std::string* out) {
  for (std::size_t i = begin; i < end; ++i) {
    if (i - begin == kLongest) {
      *out += style.painter->Paint(Style::kGutter, "...") + "\n";
      return;
    }
    const DisplayLine line(lines[i], {}, style.width);
    const std::string number = fmt::format("{:>{}} ", first_row + i, style.number_width);
    const Style color = added ? Style::kAdded : Style::kRemoved;
    std::string text = fmt::format("{} {}", added ? '+' : '-', line.text());
    while (text.back() == ' ') text.pop_back();
    *out += fmt::format("{}{}\n", style.painter->Paint(Style::kGutter, number),
                        style.painter->Paint(color, text));
  }
}

void DrawHunk(const text::Source& source, const Hunk& hunk, const FrameStyle& style,
              std::string* out) {
  const text::Span rows{source.LineSpan(hunk.first_row).begin, source.LineSpan(hunk.last_row).end};
  const std::string after_text = After(source, hunk, rows);
  const auto before = Lines(source.Text(rows));
  const auto after = Lines(after_text);
  const auto [head, tail] = CommonEndsOf(before, after);
  const std::uint32_t first_row = RowsAround(source, hunk.first_row).Shown(hunk.first_row);
  DrawSide(before, head, before.size() - tail, first_row, false, style, out);
  DrawSide(after, head, after.size() - tail, first_row, true, style, out);
}

}  // namespace

std::string FixDiff(const text::Source& source, std::string_view path, const findings::Fix& fix,
                    const FrameStyle& style) {
  std::vector<const findings::Edit*> edits;
  for (const findings::Edit& edit : fix.edits) {
    const findings::Location& at = edit.location;
    const bool here = at.path.empty() || at.path == path;
    if (!here || at.span.begin > at.span.end || at.span.end > source.bytes().size()) return "";
    edits.push_back(&edit);
  }
  std::stable_sort(edits.begin(), edits.end(),
                   [](const findings::Edit* a, const findings::Edit* b) {
                     return a->location.span.begin < b->location.span.begin;
                   });
  for (std::size_t i = 1; i < edits.size(); ++i) {
    if (edits[i]->location.span.begin < edits[i - 1]->location.span.end) return "";
  }
  std::string out;
  for (const Hunk& hunk : Hunks(source, edits)) DrawHunk(source, hunk, style, &out);
  return out;
}

}  // namespace torchleak::report
