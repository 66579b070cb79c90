#include "text/notebook.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "text/json_string.h"
#include "text/magics.h"

namespace torchleak::text {

bool IsNotebook(std::string_view path) { return path.ends_with(".ipynb"); }

Result<std::string> PythonBytes(std::string_view path, std::string raw) {
  if (!IsNotebook(path)) return raw;
  const Result<Source> source = Source::FromBytes(std::string(path), std::move(raw));
  if (!source) return source.error();
  std::string python(source->code());
  for (const Notebook::Cell& cell : source->notebook()->cells()) {
    const std::size_t size = cell.span.end - cell.span.begin;
    std::string code = python.substr(cell.span.begin, size);
    const std::size_t open = MaskMagics(&code);  // again, which changes nothing more
    for (std::size_t i = open; i < size; ++i)
      if (code[i] != '\n') python[cell.span.begin + i] = ' ';
    // Nor does a line go on in the next cell.
    if (code.ends_with('\\')) python[cell.span.end - 1] = ' ';
  }
  return python;
}

std::size_t Notebook::IndexOfCellAt(std::uint32_t offset) const {
  const auto after =
      std::upper_bound(cells_.begin(), cells_.end(), offset,
                       [](std::uint32_t o, const Cell& cell) { return o < cell.span.begin; });
  return after == cells_.begin() ? 0 : static_cast<std::size_t>(after - cells_.begin()) - 1;
}

const Notebook::Cell& Notebook::CellAt(std::uint32_t offset) const {
  static const Cell kNone;  // a notebook without Python
  return cells_.empty() ? kNone : cells_[IndexOfCellAt(offset)];
}

Notebook::CellPosition Notebook::PositionOf(const Source& source, std::uint32_t offset) const {
  const Cell& cell = CellAt(offset);
  Position position = source.PositionOf(offset);
  if (!cells_.empty()) position.row -= cell.first_row - 1;
  return {cell.number, position};
}

std::uint32_t Notebook::RowOf(const Source& source, std::uint32_t cell, std::uint32_t row) const {
  const auto at = std::find_if(cells_.begin(), cells_.end(),
                               [cell](const Cell& c) { return c.number == cell; });
  if (at == cells_.end() || row == 0) return 0;
  const std::uint32_t end = at + 1 == cells_.end() ? source.line_count() : (at + 1)->first_row;
  return row < end && at->first_row + row - 1 < end ? at->first_row + row - 1 : 0;
}

std::uint32_t Notebook::RowOfRaw(const Source& source, std::uint32_t raw_row) const {
  const auto at = std::find_if(anchors_.begin(), anchors_.end(), [raw_row](const Anchor& anchor) {
    return anchor.raw_position.row == raw_row;
  });
  return at == anchors_.end() ? 0 : source.RowOf(at->offset);
}

std::string LineName(const Source& source, std::uint32_t offset) {
  if (source.notebook() == nullptr) return fmt::format("line {}", source.RowOf(offset));
  const Notebook::CellPosition at = source.notebook()->PositionOf(source, offset);
  return fmt::format("line {} of cell {}", at.position.row, at.cell);
}

std::string RowName(const Source& source, std::uint32_t row) {
  if (source.notebook() == nullptr) return fmt::format("{}", row);
  const auto at = source.notebook()->PositionOf(source, source.LineSpan(row).begin);
  return fmt::format("cell {}:{}", at.cell, at.position.row);
}

void Notebook::SetRows(const Source& source) {
  for (Cell& cell : cells_) cell.first_row = source.RowOf(cell.span.begin);
}

Notebook::Anchor Notebook::At(std::uint32_t offset) const {
  if (anchors_.empty()) return {offset, 0, {}, 1};
  const auto after =
      std::upper_bound(anchors_.begin(), anchors_.end(), offset,
                       [](std::uint32_t o, const Anchor& anchor) { return o < anchor.offset; });
  Anchor at = after == anchors_.begin() ? anchors_.front() : *(after - 1);
  const auto piece = std::upper_bound(
      pieces_.begin(), pieces_.end(), at.raw_offset,
      [](std::uint32_t raw_offset, const Piece& p) { return raw_offset < p.raw_begin; });
  if (piece == pieces_.begin()) return at;
  const std::string_view inside = std::string_view(raw_).substr(0, (piece - 1)->raw_end);
  while (at.offset < offset && at.raw_offset < inside.size()) {
    const JsonChar c = JsonCharAt(inside, at.raw_offset);
    if (at.offset + c.size > offset) break;  // in the middle of a character
    // An escape is ASCII, each byte of it a column.
    const bool escaped = inside[at.raw_offset] == '\\';
    at.offset += c.size;
    at.raw_position.column += escaped ? static_cast<std::uint32_t>(c.raw_size) : 1;
    at.utf16_column += escaped ? static_cast<std::uint32_t>(c.raw_size) : c.size == 4 ? 2 : 1;
    at.raw_offset += static_cast<std::uint32_t>(c.raw_size);
  }
  return at;
}

std::size_t Notebook::RawOffset(std::uint32_t offset) const { return At(offset).raw_offset; }

std::uint32_t Notebook::OffsetOfRaw(std::size_t raw_offset) const {
  std::uint32_t low = 0, high = cells_.empty() ? 0 : cells_.back().span.end;
  while (low < high) {
    const std::uint32_t middle = low + (high - low + 1) / 2;
    if (RawOffset(middle) <= raw_offset) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}
Position Notebook::RawPosition(std::uint32_t offset) const { return At(offset).raw_position; }
std::uint32_t Notebook::RawUtf16Column(std::uint32_t offset) const {
  return At(offset).utf16_column;
}

}  // namespace torchleak::text
