#include "report/terminal.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "report/utf8.h"

namespace torchleak::report {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

#include "report/width_table.inc"

template <std::size_t size>
bool Holds(const Range (&ranges)[size], char32_t code) {
  const auto* after =
      std::upper_bound(std::begin(ranges), std::end(ranges), code,
                       [](char32_t c, const Range& range) { return c < range.first; });
  return after != std::begin(ranges) && code <= std::prev(after)->last;
}

// Only the sixteen basic colours: they follow the reader's theme, light or dark.
constexpr std::array<std::string_view, 10> kSgr = {"",   "1",  "1;31", "1;33", "1;35",
                                                   "34", "36", "1;32", "32",   "31"};

}  // namespace

std::uint32_t ColumnsOf(char32_t code) {
  if (code < 0x300) return 1;  // most of all code, without a search
  if (Holds(kZeroWidth, code)) return 0;
  return Holds(kDoubleWidth, code) ? 2 : 1;
}

char32_t Harmless(char32_t code) {
  if (code < 0x20) return 0x2400 + code;
  if (code == 0x7F) return 0x2421;
  if (code >= 0x80 && code < 0xA0) return kReplacement;  // C1 controls, some start sequences
  const bool reorders = code == 0x061C || code == 0x200E || code == 0x200F ||
                        (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  const bool breaks_line = code == 0x2028 || code == 0x2029;
  return reorders || breaks_line ? kReplacement : code;
}

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code = NextCodePoint(text, &at);
    const bool space = code == '\n' || code == '\r' || code == '\t';
    AppendUtf8(&out, space ? U' ' : Harmless(code));
  }
  return out;
}

std::uint32_t Columns(std::string_view text) {
  std::uint32_t columns = 0;
  for (std::size_t at = 0; at < text.size();) columns += ColumnsOf(NextCodePoint(text, &at));
  return columns;
}

Style StyleOf(findings::Severity severity) {
  switch (severity) {
    case findings::Severity::kError:
      return Style::kError;
    case findings::Severity::kWarning:
      return Style::kWarning;
    case findings::Severity::kNote:
      return Style::kNote;
  }
  return Style::kPlain;
}

std::string Painter::Paint(Style style, std::string_view text) const {
  if (!color_ || style == Style::kPlain || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", kSgr[static_cast<std::size_t>(style)], text);
}

std::string Painter::Link(std::string_view url, std::string text) const {
  if (!hyperlinks_) return text;
  return fmt::format("\x1b]8;;{}\x1b\\{}\x1b]8;;\x1b\\", url, text);
}

}  // namespace torchleak::report
