// Notebook: which character of a Jupyter notebook (nbformat 4) each byte of its Source stands for.
//
// The Python cells are put together, in order, into one Source, each beginning on a row of its own.
// Findings are made there like those of any file; what shows or edits them asks here for the cell,
// or for the place in the JSON as it lies on disk.
//
//   cell 3, row 2, column 8   for people: "eda.ipynb:cell 3:2:8"
//   row 41, column 17         of the JSON text: for services that know files only
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/result.h"
#include "text/source.h"

namespace torchleak::text {

class Notebook {
 public:
  struct Cell {
    std::uint32_t number = 1;     // from 1, among all cells of the notebook, those of text included
    std::string id;               // since nbformat 4.5; empty in older ones
    Span span;                    // in Source::bytes()
    std::uint32_t first_row = 1;  // of Source
    // Behind the lines of its `%%` magics: nothing may be put before.
    std::uint32_t code_begin = 0;
  };
  struct CellPosition {
    std::uint32_t cell = 1;  // Cell::number
    Position position;       // within the cell
  };
  // Replaces `span` of Source::bytes(), which must lie within one cell.
  struct Edit {
    Span span;
    std::string content;  // Python, not JSON
  };

  std::span<const Cell> cells() const { return cells_; }  // Python cells only, in order
  // The cell that holds the offset; of one between two cells the one before.
  const Cell& CellAt(std::uint32_t offset) const;
  CellPosition PositionOf(const Source& source, std::uint32_t offset) const;
  // The row of `source` that is this row of this cell, or that begins on this row of the JSON; 0
  // when there is none.
  std::uint32_t RowOf(const Source& source, std::uint32_t cell, std::uint32_t row) const;
  std::uint32_t RowOfRaw(const Source& source, std::uint32_t raw_row) const;

  std::string_view raw() const { return raw_; }  // the JSON text, UTF-8
  // Where the character at `offset` is written in raw(): the first byte of its escape, if any.
  std::size_t RawOffset(std::uint32_t offset) const;
  // The other way round: the last character that is not written behind `raw_offset`.
  std::uint32_t OffsetOfRaw(std::size_t raw_offset) const;
  Position RawPosition(std::uint32_t offset) const;          // columns in characters
  std::uint32_t RawUtf16Column(std::uint32_t offset) const;  // from 1

  // The JSON with the edits made: only the strings of the touched lines differ, every other byte
  // stays. Edits are sorted and do not overlap.
  Result<std::string> Rewrite(std::span<const Edit> edits) const;

 private:
  friend class NotebookReader;
  friend class Source;
  friend class NotebookRewriter;

  // A string of a cell's source.
  struct Piece {
    std::uint32_t begin;               // in Source::bytes()
    std::uint32_t raw_begin, raw_end;  // in raw(), between the quotes
  };
  // Where a cell's source is written: a string, or an array of them.
  struct Origin {
    std::uint32_t raw_begin = 0, raw_end = 0;  // of the value
    std::uint32_t first_piece = 0, piece_count = 0;
    bool is_array = false;
    bool added_line_end = false;  // the cell has none at its end
  };
  // Known places, one at least for each piece, so that nothing is counted from the top.
  struct Anchor {
    std::uint32_t offset, raw_offset;
    Position raw_position;
    std::uint32_t utf16_column;
  };
  void SetRows(const Source& source);
  Anchor At(std::uint32_t offset) const;
  std::size_t IndexOfCellAt(std::uint32_t offset) const;

  std::string raw_;
  std::vector<Cell> cells_;
  std::vector<Origin> origins_;  // of cells_[i]
  std::vector<Piece> pieces_;
  std::vector<Anchor> anchors_;
};

// A line as it is called in a sentence, and a row behind a path: "line 12" and "12", or of a
// notebook "line 2 of cell 3" and "cell 3:2".
std::string LineName(const Source& source, std::uint32_t offset);
std::string RowName(const Source& source, std::uint32_t row);

// Jupyter's files go by their name.
bool IsNotebook(std::string_view path);

// The Python that a file holds, for those who look at bytes alone: its own bytes, or a notebook's
// Source::code(), where a string that a cell leaves open is blank, so that it hides no other cell.
// Fails for what is no notebook of nbformat 4.
Result<std::string> PythonBytes(std::string_view path, std::string raw);

}  // namespace torchleak::text
