// Two crops: by bytes before layout, so that a line of 8 MB costs no more than a short one; then
// by columns, when the layout is known.
#include "report/display_line.h"

#include <algorithm>

#include "report/terminal.h"
#include "report/utf8.h"

namespace torchleak::report {
namespace {

constexpr std::uint32_t kTab = 4;
constexpr std::uint32_t kBytesBefore = 1000;  // of the focus that are laid out at most
constexpr std::uint32_t kBytesAll = 4000;
constexpr std::string_view kEllipsis = "…";

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

}  // namespace

DisplayLine::DisplayLine(std::string_view line, text::Span focus, std::uint32_t width) {
  LayOut(line, focus);
  Crop(UncroppedColumn(focus.begin), UncroppedColumn(focus.end), width);
}

void DisplayLine::LayOut(std::string_view line, text::Span focus) {
  const auto size = static_cast<std::uint32_t>(line.size());
  std::uint32_t begin = 0;
  if (size > kBytesAll && focus.begin > kBytesBefore) begin = focus.begin - kBytesBefore;
  begin = std::min(begin, size);
  std::uint32_t end = std::min(size, begin + kBytesAll);
  while (begin < end && IsContinuation(line[begin])) ++begin;
  while (end < size && IsContinuation(line[end])) ++end;
  cut_left_ = begin > 0;
  cut_right_ = end < size;

  std::uint32_t column = 0;
  for (std::size_t at = begin; at < end;) {
    const auto byte = static_cast<std::uint32_t>(at);
    const char32_t code = NextCodePoint(line, &at);
    std::string shown;
    std::uint32_t columns = 0;
    if (code == '\t') {
      columns = kTab - column % kTab;
      shown.assign(columns, ' ');
    } else {
      const char32_t harmless = Harmless(code);
      columns = ColumnsOf(harmless);
      AppendUtf8(&shown, harmless);
    }
    glyphs_.push_back({byte, column, std::move(shown)});
    column += columns;
  }
  glyphs_.push_back({end, column, ""});
}

void DisplayLine::Crop(std::uint32_t focus_begin, std::uint32_t focus_end, std::uint32_t width) {
  const std::uint32_t total = glyphs_.back().column;
  last_column_ = total;
  if (total > width) {
    // Room is shared evenly on both sides of the focus; a focus wider than the view shows its
    // start.
    const std::uint32_t focus = std::min(focus_end - focus_begin, width - 2);
    const std::uint32_t left = (width - focus) / 2;
    first_column_ = focus_begin > left ? focus_begin - left : 0;
    first_column_ = std::min(first_column_, total - width);
    last_column_ = first_column_ + width;
  }
  const bool left_mark = cut_left_ || first_column_ > 0;
  const bool right_mark = cut_right_ || last_column_ < total;
  if (left_mark) text_ += kEllipsis;
  std::uint32_t column = first_column_ + (left_mark ? 1 : 0);
  const std::uint32_t limit = last_column_ - (right_mark ? 1 : 0);
  for (std::size_t i = 0; i + 1 < glyphs_.size(); ++i) {
    const Glyph& glyph = glyphs_[i];
    const std::uint32_t next = glyphs_[i + 1].column;
    if (glyph.column < first_column_ + (left_mark ? 1 : 0) || next > limit) continue;
    // A wide character that was cut in two leaves a blank.
    if (glyph.column > column) text_.append(glyph.column - column, ' ');
    text_ += glyph.shown;
    column = next;
  }
  if (right_mark) {
    if (limit > column) text_.append(limit - column, ' ');
    text_ += kEllipsis;
  } else {
    while (!text_.empty() && text_.back() == ' ') text_.pop_back();
  }
}

std::uint32_t DisplayLine::UncroppedColumn(std::uint32_t byte) const {
  // The glyph that holds the byte: the last one that starts at or before it.
  const auto after = std::upper_bound(glyphs_.begin(), glyphs_.end(), byte,
                                      [](std::uint32_t b, const Glyph& g) { return b < g.byte; });
  return after == glyphs_.begin() ? 0 : std::prev(after)->column;
}

std::uint32_t DisplayLine::ColumnOf(std::uint32_t byte) const {
  return std::clamp(UncroppedColumn(byte), first_column_, last_column_) - first_column_;
}

}  // namespace torchleak::report
