// Source: one Python file as the analyzer sees it, immutable UTF-8 with a line index.
//
// Bytes inside, conversion at the edges: every layer above speaks in byte offsets
// into bytes(); rows and columns (from 1, columns in characters) are made only when
// a finding is shown. Line ends are \n, \r\n or a lone \r; bytes() keeps them.
//
//   Result<Source> s = Source::FromBytes("train.py", raw);
//   Position p = s->PositionOf(120);        // {row 7, column 3}
//   std::string_view line = s->Line(p.row); // without its line end
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/result.h"

namespace torchleak::text {

// Half-open range of byte offsets into Source::bytes().
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool operator==(const Span&) const = default;
};

// Row and column from 1; columns count Unicode code points.
struct Position {
  std::uint32_t row = 1;
  std::uint32_t column = 1;
  auto operator<=>(const Position&) const = default;
};

class Notebook;

class Source {
 public:
  // Decodes `raw` to UTF-8: a byte-order mark is dropped, a coding line (PEP 263) of
  // Latin-1 / cp1252 is converted, bytes that are not valid UTF-8 become U+FFFD.
  // Fails with a clear message on NUL bytes (a binary file), UTF-16, an encoding that
  // is not supported, and input above kMaxBytes.
  // A path that ends in .ipynb means a notebook: bytes() are its Python cells (text/notebook.h).
  static Result<Source> FromBytes(std::string path, std::string raw);

  // The same for the text that an editor holds, as UTF-8: it is decoded, so a coding line means
  // nothing. A U+FEFF that begins it is no part of bytes(), and offset 0 is the place behind it, as
  // with FromBytes; dropped_mark() takes one back to the editor's text. Of a notebook the text is
  // its JSON, which raw() of the notebook has in full.
  static Result<Source> FromText(std::string path, std::string utf8);

  // The parser takes up to 170 bytes and 1 µs for each byte of such a file; the largest of 12,900
  // files of 31 repositories has 0.33 MB.
  static constexpr std::size_t kMaxBytes = std::size_t{8} << 20;
  // Pictures among the outputs of a notebook, which nobody parses, are larger than its code.
  static constexpr std::size_t kMaxNotebookBytes = std::size_t{64} << 20;
  static std::size_t MaxBytes(std::string_view path);

  const std::string& path() const { return path_; }
  std::string_view bytes() const { return bytes_; }
  // Size of the byte-order mark that stood before bytes(): 0 or 3 bytes; 0 for notebooks.
  std::uint32_t dropped_mark() const { return dropped_mark_; }
  // What the parser reads: bytes(), but with the magics of a notebook overwritten by Python of the
  // same size, line by line (text/magics.h). People are shown bytes().
  std::string_view code() const { return code_.empty() ? bytes_ : code_; }
  // Null for plain files. Copies of a Source share it.
  const Notebook* notebook() const { return notebook_.get(); }
  std::string_view Text(Span span) const {
    return std::string_view(bytes_).substr(span.begin, span.end - span.begin);
  }

  std::uint32_t line_count() const { return static_cast<std::uint32_t>(line_starts_.size()); }
  // Text of a row from 1, without its line end; empty when out of range.
  std::string_view Line(std::uint32_t row) const;
  Span LineSpan(std::uint32_t row) const;
  std::uint32_t RowOf(std::uint32_t offset) const;
  Position PositionOf(std::uint32_t offset) const;
  std::uint32_t OffsetOf(Position position) const;  // clamped to the line
  // Column from 1 in UTF-16 code units, as SARIF and LSP count.
  std::uint32_t Utf16Column(std::uint32_t offset) const;

 private:
  static Result<Source> Read(std::string path, std::string raw, bool is_text);

  std::string path_;
  std::string bytes_;
  std::string code_;  // empty when bytes_ are Python
  std::shared_ptr<const Notebook> notebook_;
  std::vector<std::uint32_t> line_starts_;
  std::uint32_t dropped_mark_ = 0;
};

}  // namespace torchleak::text
