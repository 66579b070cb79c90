#include "report/html_code.h"

#include <algorithm>
#include <array>

#include "report/markup.h"
#include "report/terminal.h"
#include "report/utf8.h"

namespace torchleak::report {
namespace {

constexpr std::uint32_t kLongest = 240;  // bytes of a line that are shown
constexpr std::uint32_t kBefore = 60;    // of them before the first mark, when it is cut
constexpr std::uint32_t kTab = 4;

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool IsKeyword(std::string_view word) {
  static constexpr std::array<std::string_view, 33> kKeywords = {
      "False", "None",     "True",   "and",    "as",    "assert", "async",  "await",   "break",
      "class", "continue", "def",    "del",    "elif",  "else",   "except", "finally", "for",
      "from",  "global",   "if",     "import", "in",    "is",     "lambda", "not",     "or",
      "pass",  "raise",    "return", "try",    "while", "with"};
  return std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
}

// The end of a string that opens at `at`; npos when it does not end in this line. Then nobody knows
// whether it opens here at all: it may be a quote within a longer string.
std::size_t StringEnd(std::string_view line, std::size_t at) {
  const char quote = line[at];
  const std::string three(3, quote);
  if (line.substr(at).starts_with(three)) {
    const std::size_t end = line.find(three, at + 3);
    return end == std::string_view::npos ? end : end + 3;
  }
  for (std::size_t i = at + 1; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == quote) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

// For each byte 'k', 's', 'c' or ' '.
std::string Kinds(std::string_view line) {
  std::string kinds(line.size(), ' ');
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at + 1;
    char kind = ' ';
    if (line[at] == '#') {
      end = line.size();
      kind = 'c';
    } else if (line[at] == '"' || line[at] == '\'') {
      const std::size_t closes = StringEnd(line, at);
      if (closes == std::string_view::npos) return kinds;
      end = closes;
      kind = 's';
    } else if (IsWord(line[at])) {
      while (end < line.size() && IsWord(line[end])) ++end;
      if (IsKeyword(line.substr(at, end - at))) kind = 'k';
    }
    std::fill(kinds.begin() + static_cast<std::ptrdiff_t>(at),
              kinds.begin() + static_cast<std::ptrdiff_t>(end), kind);
    at = end;
  }
  return kinds;
}

// What surrounds a run of characters.
struct Look {
  bool primary = false;
  bool step = false;
  char kind = ' ';
  bool operator==(const Look&) const = default;
};

void Append(const Look& look, std::string_view text, std::string* html) {
  if (text.empty()) return;
  std::string inner = EscapeMarkup(text);
  if (look.kind != ' ') inner = std::string("<q class=\"") + look.kind + "\">" + inner + "</q>";
  if (look.step) inner = "<em>" + inner + "</em>";
  if (look.primary) inner = "<mark>" + inner + "</mark>";
  *html += inner;
}

}  // namespace

CodeLineHtml::CodeLineHtml(std::string_view line, std::span<const CodeMark> marks) {
  const auto size = static_cast<std::uint32_t>(line.size());
  std::uint32_t first_mark = size;
  for (const CodeMark& mark : marks) first_mark = std::min(first_mark, mark.span.begin);
  if (size > kLongest && first_mark < size && first_mark > kBefore) begin_ = first_mark - kBefore;
  std::uint32_t end = std::min(size, begin_ + kLongest);
  while (begin_ > 0 && IsContinuation(line[begin_])) --begin_;
  while (end < size && IsContinuation(line[end])) ++end;

  const std::string kinds = Kinds(line);
  const auto look_at = [&](std::uint32_t byte) {
    Look look;
    for (const CodeMark& mark : marks) {
      const std::uint32_t mark_end = std::max(mark.span.end, mark.span.begin + 1);
      if (byte < mark.span.begin || byte >= mark_end) continue;
      (mark.primary ? look.primary : look.step) = true;
    }
    if (byte < size) look.kind = kinds[byte];
    return look;
  };
  if (begin_ > 0) html_ += "…";
  std::uint32_t column = begin_ > 0 ? 1 : 0;
  column_of_.assign(end - begin_ + 1, 0);
  Look look;
  std::string run;
  for (std::size_t at = begin_; at < end;) {
    const auto byte = static_cast<std::uint32_t>(at);
    const Look here = look_at(byte);
    if (here != look) {
      Append(look, run, &html_);
      run.clear();
      look = here;
    }
    const char32_t code = NextCodePoint(line, &at);
    const std::uint32_t columns = code == '\t' ? kTab - column % kTab : ColumnsOf(Harmless(code));
    if (code == '\t') {
      run.append(columns, ' ');
    } else {
      AppendUtf8(&run, Harmless(code));
    }
    for (std::size_t i = byte; i < at; ++i) column_of_[i - begin_] = column;
    column += columns;
  }
  Append(look, run, &html_);
  column_of_[end - begin_] = column;
  // A mark behind the last character stands for the line's end.
  if (end == size && look_at(size).primary) html_ += "<mark> </mark>";
  if (end < size) html_ += "…";
}

std::uint32_t CodeLineHtml::ColumnOf(std::uint32_t byte) const {
  const std::uint32_t index = byte < begin_ ? 0 : byte - begin_;
  return column_of_[std::min<std::size_t>(index, column_of_.size() - 1)];
}

}  // namespace torchleak::report
