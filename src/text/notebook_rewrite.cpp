// Edits that touch the same or neighbouring strings of a cell are made together: the bytes of the
// JSON that stay are copied as they are, escapes included, new text is escaped, and the sum is cut
// into strings where new line ends came in. All else is copied.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "text/json_string.h"
#include "text/notebook.h"

namespace torchleak::text {
namespace {

// Does the inside of a JSON string end with an escaped line feed?
bool EndsLine(std::string_view inside) {
  std::size_t size = 0;
  for (const std::string_view feed : {"\\n", "\\u000a", "\\u000A"})
    if (inside.ends_with(feed)) size = feed.size();
  if (size == 0) return false;
  std::size_t backslashes = 1;
  for (std::size_t i = inside.size() - size; i > 0 && inside[i - 1] == '\\'; --i) ++backslashes;
  return backslashes % 2 == 1;
}

// As json.dumps wrote the file: does it escape what is not ASCII?
bool EscapesNonAscii(std::string_view raw) {
  const bool has_raw = std::any_of(raw.begin(), raw.end(),
                                   [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  if (has_raw) return false;
  for (std::size_t at = raw.find("\\u"); at != raw.npos; at = raw.find("\\u", at + 2)) {
    std::size_t before = at;
    while (before > 0 && raw[before - 1] == '\\') --before;
    const std::string_view digits = raw.substr(at + 2, 4);
    if ((at - before) % 2 == 0 && (digits.substr(0, 2) != "00" || digits.substr(2) >= "80"))
      return true;
  }
  return false;
}

// The insides of the strings that one group of edits leaves.
class Strings {
 public:
  explicit Strings(bool one_for_each_line) : one_for_each_line_(one_for_each_line) {}

  void Add(std::string_view inside) {
    if (inside.empty()) return;
    if (all_.empty() || (one_for_each_line_ && EndsLine(all_.back()))) all_.emplace_back();
    all_.back() += inside;
  }
  void AddNew(std::string_view text, bool ensure_ascii) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      Add(EscapeJson(text.substr(0, end), ensure_ascii));
      text.remove_prefix(end);
    }
  }
  std::string Joined(std::string_view separator) const {
    std::string out;
    for (const std::string& inside : all_)
      out += fmt::format("{}\"{}\"", out.empty() ? "" : separator, inside);
    return out;
  }
  bool empty() const { return all_.empty(); }
  bool EndsInLine() const { return !all_.empty() && !EndsLine(all_.back()); }

 private:
  bool one_for_each_line_;
  std::vector<std::string> all_;
};

}  // namespace

class NotebookRewriter {
 public:
  explicit NotebookRewriter(const Notebook& notebook)
      : notebook_(notebook), raw_(notebook.raw_), ensure_ascii_(EscapesNonAscii(notebook.raw_)) {}

  Result<std::string> Run(std::span<const Notebook::Edit> edits) {
    for (const Notebook::Edit& edit : edits) {
      std::size_t cell = 0;
      Notebook::Edit own;
      if (!Normalize(edit, &cell, &own)) {
        return Error{fmt::format("an edit of a notebook must lie within one cell, not at {}..{}",
                                 edit.span.begin, edit.span.end)};
      }
      const std::size_t first = FirstPiece(cell, own.span), last = LastPiece(cell, own.span);
      if (group_.edits.empty() || cell != group_.cell || first > group_.last + 1) {
        Flush();
        group_ = {cell, first, last, {}};
      }
      group_.last = std::max(group_.last, last);
      group_.edits.push_back(std::move(own));
    }
    Flush();
    return out_.append(raw_.substr(copied_));
  }

 private:
  struct Group {
    std::size_t cell = 0, first = 0, last = 0;  // pieces
    std::vector<Notebook::Edit> edits;
  };

  const Notebook::Origin& OriginOf(std::size_t cell) const { return notebook_.origins_[cell]; }
  const Notebook::Piece& PieceAt(std::size_t i) const { return notebook_.pieces_[i]; }

  // The line end that a cell gets when it has none is not written down, so nothing replaces it.
  bool Normalize(const Notebook::Edit& edit, std::size_t* cell, Notebook::Edit* own) const {
    if (notebook_.cells_.empty() || edit.span.begin > edit.span.end) return false;
    *cell = notebook_.IndexOfCellAt(edit.span.begin);
    const Span span = notebook_.cells_[*cell].span;
    const bool added = OriginOf(*cell).added_line_end;
    if (edit.span.end > span.end + (added ? 1 : 0)) return false;
    *own = edit;
    if (edit.span.end <= span.end) return true;
    own->span = {std::min(edit.span.begin, span.end), span.end};
    if (own->content.ends_with('\n')) own->content.pop_back();
    if (edit.span.begin > span.end) own->content.insert(0, 1, '\n');
    return true;
  }

  // Of the pieces that begin before an offset, or there, the last.
  std::size_t LastBegun(std::size_t cell, std::uint32_t before) const {
    const auto begin = notebook_.pieces_.begin() + OriginOf(cell).first_piece;
    const auto end = begin + OriginOf(cell).piece_count;
    const auto after = std::lower_bound(
        begin, end, before,
        [](const Notebook::Piece& piece, std::uint32_t offset) { return piece.begin < offset; });
    return static_cast<std::size_t>((after == begin ? after : after - 1) -
                                    notebook_.pieces_.begin());
  }
  std::size_t FirstPiece(std::size_t cell, Span span) const {
    return LastBegun(cell, span.begin + 1);
  }
  std::size_t LastPiece(std::size_t cell, Span span) const {
    return std::max(FirstPiece(cell, span), LastBegun(cell, std::max(span.begin + 1, span.end)));
  }

  // The JSON of bytes() from `from` to `to`, string by string.
  void AddKept(std::uint32_t from, std::uint32_t to, Strings* strings) const {
    const Notebook::Origin& origin = OriginOf(group_.cell);
    const std::size_t end_piece = origin.first_piece + origin.piece_count;
    for (std::size_t i = group_.first; i <= group_.last && i < end_piece; ++i) {
      const Notebook::Piece& piece = PieceAt(i);
      const std::uint32_t end = EndOf(i);
      if (end <= from || piece.begin >= to) continue;
      const std::size_t begin_raw =
          from <= piece.begin ? piece.raw_begin : notebook_.RawOffset(from);
      const std::size_t end_raw = to >= end ? piece.raw_end : notebook_.RawOffset(to);
      strings->Add(raw_.substr(begin_raw, end_raw - begin_raw));
    }
  }

  std::uint32_t EndOf(std::size_t piece) const {
    const Notebook::Origin& origin = OriginOf(group_.cell);
    return piece + 1 < origin.first_piece + origin.piece_count
               ? PieceAt(piece + 1).begin
               : notebook_.cells_[group_.cell].span.end;
  }

  void Flush() {
    if (group_.edits.empty()) return;
    const Notebook::Origin& origin = OriginOf(group_.cell);
    Strings strings(origin.is_array);
    const bool has_pieces = origin.piece_count > 0;
    std::uint32_t at = has_pieces ? PieceAt(group_.first).begin : 0;
    for (const Notebook::Edit& edit : group_.edits) {
      if (has_pieces) AddKept(at, edit.span.begin, &strings);
      strings.AddNew(edit.content, ensure_ascii_);
      at = edit.span.end;
    }
    if (has_pieces) AddKept(at, EndOf(group_.last), &strings);
    // A line whose end went away grows together with the next.
    if (origin.is_array && strings.EndsInLine() &&
        group_.last + 1 < origin.first_piece + origin.piece_count) {
      ++group_.last;
      AddKept(PieceAt(group_.last).begin, EndOf(group_.last), &strings);
    }
    if (!origin.is_array) {
      Replace(origin.raw_begin, origin.raw_end, strings.empty() ? "\"\"" : strings.Joined(""));
    } else if (!has_pieces) {
      if (!strings.empty()) FillEmpty(origin, strings);
    } else if (strings.empty()) {
      Remove(origin);
    } else {
      Replace(PieceAt(group_.first).raw_begin - 1, PieceAt(group_.last).raw_end + 1,
              strings.Joined(Separator(origin)));
    }
  }

  // Strings with the comma that parts them from their neighbours.
  void Remove(const Notebook::Origin& origin) {
    const bool from_first = group_.first == origin.first_piece;
    const bool to_last = group_.last + 1 == origin.first_piece + origin.piece_count;
    if (from_first && to_last) return Replace(origin.raw_begin + 1, origin.raw_end - 1, "");
    if (from_first)
      return Replace(PieceAt(group_.first).raw_begin - 1, PieceAt(group_.last + 1).raw_begin - 1,
                     "");
    Replace(PieceAt(group_.first - 1).raw_end + 1, PieceAt(group_.last).raw_end + 1, "");
  }

  // What stands between two strings of the array: a comma, and the file's own line ends and blanks.
  std::string Separator(const Notebook::Origin& origin) const {
    if (origin.piece_count > 1) {
      const std::size_t begin = PieceAt(origin.first_piece).raw_end + 1;
      return std::string(raw_.substr(begin, PieceAt(origin.first_piece + 1).raw_begin - 1 - begin));
    }
    const std::string blanks = origin.piece_count == 1 ? BlanksBefore(origin) : std::string();
    if (!blanks.empty()) return "," + blanks;
    for (const Notebook::Origin& other : notebook_.origins_)
      if (other.is_array && other.piece_count > 1) return Separator(other);
    return ", ";
  }
  std::string BlanksBefore(const Notebook::Origin& origin) const {
    const std::size_t begin = origin.raw_begin + 1;
    return std::string(raw_.substr(begin, PieceAt(origin.first_piece).raw_begin - 1 - begin));
  }

  // `[]` laid out as the rest of the file: on one line, or with each string on its own, one step
  // further in than the key.
  void FillEmpty(const Notebook::Origin& origin, const Strings& strings) {
    std::string before, after, separator = Separator(origin);
    const std::size_t feed = raw_.substr(0, origin.raw_begin).rfind('\n');
    if (feed != raw_.npos && raw_[raw_.find_first_not_of(" \t", feed + 1)] == '"') {
      const std::string_view line_end = feed > 0 && raw_[feed - 1] == '\r' ? "\r\n" : "\n";
      after = fmt::format("{}{}", line_end, BlanksAt(feed + 1));
      before = fmt::format("{}{}", after, BlanksAt(raw_.find('\n') + 1));
      separator = "," + before;
    }
    Replace(origin.raw_begin + 1, origin.raw_end - 1, before + strings.Joined(separator) + after);
  }
  std::string_view BlanksAt(std::size_t at) const {
    return raw_.substr(at, raw_.find_first_not_of(" \t", at) - at);
  }

  void Replace(std::size_t begin, std::size_t end, std::string_view with) {
    out_.append(raw_.substr(copied_, begin - copied_));
    out_ += with;
    copied_ = end;
  }

  const Notebook& notebook_;
  std::string_view raw_;
  bool ensure_ascii_;
  Group group_;
  std::string out_;
  std::size_t copied_ = 0;
};

Result<std::string> Notebook::Rewrite(std::span<const Edit> edits) const {
  return NotebookRewriter(*this).Run(edits);
}

}  // namespace torchleak::text
