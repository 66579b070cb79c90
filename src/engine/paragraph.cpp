#include "engine/paragraph.h"

#include <algorithm>

namespace torchleak::engine {
namespace {

// Code points, which is close enough to columns for source text.
std::size_t Columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

// End of the first word. Code in backticks is one word unless it is long, and so is "(line 12)".
std::size_t WordEnd(std::string_view text) {
  constexpr std::size_t kMaxCode = 50;
  std::size_t end = std::min(text.find(' '), text.size());
  const auto ticks = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '`');
  if (ticks % 2 == 1) {
    const std::size_t close = text.find('`', end);
    if (close != text.npos && close < kMaxCode) end = std::min(text.find(' ', close), text.size());
  } else if (text.substr(0, end) == "(line" || text.substr(0, end) == "line") {
    end = std::min(text.find(' ', end + 1), text.size());
  }
  return end;
}

}  // namespace

void AppendParagraph(std::string_view text, std::size_t column, std::size_t indent,
                     std::string* out) {
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = WordEnd(text);
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const std::size_t width = Columns(word);
    if (!first && column + 1 + width > kTextWidth) {
      out->push_back('\n');
      out->append(indent, ' ');
      column = indent;
      first = true;
    }
    if (!first) {
      out->push_back(' ');
      ++column;
    }
    out->append(word);
    column += width;
    first = false;
  }
  out->push_back('\n');
}

void AppendEntry(std::string_view subject, std::string_view text, std::size_t column,
                 std::string* out) {
  constexpr std::size_t kMargin = 2, kGap = 2;
  out->append(kMargin, ' ');
  std::size_t at = kMargin + Columns(subject);
  if (at + kGap > column) {
    AppendParagraph(subject, kMargin, kMargin, out);
    at = 0;
  } else {
    out->append(subject);
  }
  out->append(column - at, ' ');
  AppendParagraph(text, column, column, out);
}

}  // namespace torchleak::engine
