#include "suppress/removal.h"

#include <algorithm>
#include <string_view>

#include "suppress/words.h"
#include "text/notebook.h"

namespace torchleak::suppress {
namespace {

findings::Edit Deletion(const text::Source& source, std::uint32_t begin, std::uint32_t end) {
  return {{source.path(), {begin, end}}, ""};
}

// A comment that holds nothing else.
findings::Edit WithoutComment(const text::Source& source, text::Span comment) {
  const std::uint32_t row = source.RowOf(comment.begin);
  const text::Span line = source.LineSpan(row);
  if (!IsOwnLine(source, comment)) {
    std::uint32_t begin = comment.begin;
    while (begin > line.begin && IsBlank(source.bytes()[begin - 1])) --begin;
    return Deletion(source, begin, line.end);
  }
  const text::Span cell = CellOf(source, line.begin);
  const std::uint32_t next = row < source.line_count() ? source.LineSpan(row + 1).begin : line.end;
  // An edit stays within its cell, and a cell ends as it did, with a line end or without.
  if (next < cell.end || source.notebook() == nullptr) return Deletion(source, line.begin, next);
  const std::uint32_t begin = line.begin > cell.begin ? source.LineSpan(row - 1).end : line.begin;
  return Deletion(source, begin, line.end);
}

findings::Edit WithoutDirective(const text::Source& source, const Directive& directive) {
  const std::string_view bytes = source.bytes();
  const text::Span comment = directive.comment;
  std::uint32_t end = directive.span.end, begin = directive.span.begin;
  while (end < comment.end && IsBlank(bytes[end])) ++end;
  const bool is_last = end == comment.end, is_first = begin == comment.begin;
  if (is_first && is_last) return WithoutComment(source, comment);
  if (is_last) {
    while (begin > comment.begin && IsBlank(bytes[begin - 1])) --begin;
  }
  return Deletion(source, begin, end);
}

}  // namespace

text::Span CellOf(const text::Source& source, std::uint32_t offset) {
  const text::Notebook* notebook = source.notebook();
  if (notebook != nullptr) return notebook->CellAt(offset).span;
  return {0, static_cast<std::uint32_t>(source.bytes().size())};
}

bool IsOwnLine(const text::Source& source, text::Span comment) {
  const std::uint32_t begin = source.LineSpan(source.RowOf(comment.begin)).begin;
  const std::string_view before = source.Text({begin, comment.begin});
  return std::all_of(before.begin(), before.end(), IsBlank);
}

std::vector<findings::Edit> Remove(const text::Source& source, const Directive& directive,
                                   const std::vector<std::size_t>& words) {
  const std::vector<Word>& all = directive.words;
  if (words.size() == all.size()) return {WithoutDirective(source, directive)};
  std::vector<bool> gone(all.size());
  for (const std::size_t word : words) gone[word] = true;
  std::vector<findings::Edit> edits;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!gone[i]) continue;
    const std::size_t first = i;
    while (i + 1 < all.size() && gone[i + 1]) ++i;
    // With the separator behind them, or, at the end of the list, the one in front.
    if (i + 1 < all.size()) {
      edits.push_back(Deletion(source, all[first].span.begin, all[i + 1].span.begin));
    } else {
      edits.push_back(Deletion(source, all[first - 1].span.end, all[i].span.end));
    }
  }
  return edits;
}

}  // namespace torchleak::suppress
