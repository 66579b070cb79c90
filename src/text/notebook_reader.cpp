// Two steps: the whole JSON is walked and every cell's strings are noted, since the language of the
// notebook and the type of a cell may stand after them; then the Python cells are decoded.
#include "text/notebook_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "text/decode.h"
#include "text/json_string.h"
#include "text/magics.h"

namespace torchleak::text {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";
// Between anchors; a position is found by walking from one.
constexpr std::uint32_t kAnchorDistance = 1024;

bool IsPythonName(std::string_view language) {
  std::string lower;
  for (const char c : language) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return lower.starts_with("python") || lower.starts_with("ipython");
}

}  // namespace

NotebookReader::NotebookReader(std::string_view path, const std::string& raw)
    : path_(path), raw_(raw), tokens_(raw_, raw_.starts_with(kMark) ? kMark.size() : 0) {}

bool NotebookReader::FailAt(std::size_t raw_offset, std::string_view expected) {
  if (!error_.empty()) return false;
  std::uint32_t row = 1, column = 1;
  const std::string_view before = raw_.substr(0, raw_offset);
  const std::size_t line = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
  row += static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n'));
  for (const char c : before.substr(before.starts_with(kMark) && line == 0 ? 3 : line))
    column += (static_cast<unsigned char>(c) & 0xC0) == 0x80 ? 0u : 1u;
  error_ = fmt::format(
      "{}: is not a Jupyter notebook that can be read: row {}, column {} of the file: expected {}; "
      "open it in Jupyter and save it again, or take it from version control",
      path_, row, column, expected);
  return false;
}

bool NotebookReader::Fail() { return FailAt(tokens_.error_at(), tokens_.expected()); }

bool NotebookReader::FailShape(std::string_view what) {
  if (error_.empty()) {
    error_ = fmt::format(
        "{0}: {1}; notebooks of nbformat 4 are read: jupyter nbconvert --to notebook --nbformat 4 "
        "--inplace {0}",
        path_, what);
  }
  return false;
}

std::string NotebookReader::Key(Token key) const { return DecodeJson(tokens_.Text(key)); }

bool NotebookReader::ReadText(Token value, std::string* out) {
  if (value.kind == Kind::kString) {
    *out = DecodeJson(tokens_.Text(value));
    return true;
  }
  return tokens_.Skip(value) || Fail();
}

bool NotebookReader::ReadTop() {
  Token token = tokens_.Next();
  if (token.kind == Kind::kError) return Fail();
  if (token.kind != Kind::kBeginObject) return FailAt(token.begin, "'{', the notebook's object");
  while ((token = tokens_.Next()).kind == Kind::kKey) {
    const std::string key = Key(token);
    const Token value = tokens_.Next();
    bool read = true;
    if (key == "cells") {
      read = ReadCells(value);
    } else if (key == "metadata") {
      read = ReadMetadata(value);
    } else {
      if (key == "nbformat") nbformat_ = tokens_.Text(value);
      if (key == "worksheets") has_worksheets_ = true;
      read = tokens_.Skip(value) || Fail();
    }
    if (!read) return false;
  }
  if (token.kind != Kind::kEndObject || tokens_.Next().kind != Kind::kEnd) return Fail();
  return CheckShape();
}

bool NotebookReader::CheckShape() {
  if (nbformat_ == "4" && has_cells_) return true;
  if (has_worksheets_ || (!nbformat_.empty() && nbformat_ < "4"))
    return FailShape(fmt::format("is a notebook of nbformat {}",
                                 nbformat_.empty() ? std::string_view("3 or older") : nbformat_));
  if (nbformat_.empty()) return FailShape("is not a Jupyter notebook: there is no \"nbformat\"");
  if (nbformat_ == "4") return FailShape("is not a Jupyter notebook: there are no \"cells\"");
  return FailShape(fmt::format("is a notebook of nbformat {}", nbformat_.substr(0, 20)));
}

bool NotebookReader::ReadCells(Token first) {
  if (first.kind == Kind::kError) return Fail();
  if (first.kind != Kind::kBeginArray) return FailAt(first.begin, "'[' and the list of the cells");
  cells_.clear();
  has_cells_ = true;
  Token token;
  std::uint32_t number = 0;
  while ((token = tokens_.Next()).kind == Kind::kBeginObject) {
    RawCell cell;
    cell.number = ++number;
    if (!ReadCell(token, &cell)) return false;
    if (cell.type == "code") cells_.push_back(std::move(cell));
  }
  if (token.kind == Kind::kEndArray) return true;
  return token.kind == Kind::kError ? Fail() : FailAt(token.begin, "'{' and a cell");
}

bool NotebookReader::ReadCell(Token first, RawCell* cell) {
  Token token = first;
  while ((token = tokens_.Next()).kind == Kind::kKey) {
    const std::string key = Key(token);
    const Token value = tokens_.Next();
    bool read = true;
    if (key == "source") {
      read = ReadSource(value, cell);
    } else if (key == "cell_type") {
      read = ReadText(value, &cell->type);
    } else if (key == "id") {
      read = ReadText(value, &cell->id);
    } else if (key == "metadata") {
      read = ReadInner(value, "vscode", "languageId", &cell->language);
    } else {
      read = tokens_.Skip(value) || Fail();
    }
    if (!read) return false;
  }
  if (token.kind != Kind::kEndObject) return Fail();
  if (cell->type == "code" && !cell->has_source)
    return FailAt(first.begin, "a cell with \"source\", which this one has not");
  return true;
}

bool NotebookReader::ReadSource(Token first, RawCell* cell) {
  if (first.kind == Kind::kError) return Fail();
  const auto at = [](std::size_t offset) { return static_cast<std::uint32_t>(offset); };
  cell->pieces.clear();
  cell->has_source = true;
  cell->origin = {at(first.begin), at(first.end), 0, 0, first.kind == Kind::kBeginArray, false};
  if (first.kind == Kind::kString) {
    cell->origin.raw_begin = at(first.begin - 1);
    cell->origin.raw_end = at(first.end + 1);
    cell->pieces.push_back({0, at(first.begin), at(first.end)});
    return true;
  }
  if (first.kind != Kind::kBeginArray)
    return FailAt(first.begin, "a string or a list of strings as the source of the cell");
  Token token;
  while ((token = tokens_.Next()).kind == Kind::kString)
    cell->pieces.push_back({0, at(token.begin), at(token.end)});
  cell->origin.raw_end = at(token.end);
  if (token.kind == Kind::kEndArray) return true;
  return token.kind == Kind::kError ? Fail()
                                    : FailAt(token.begin, "a string, one line of the cell");
}

bool NotebookReader::ReadInner(Token first, std::string_view outer, std::string_view inner,
                               std::string* value) {
  if (first.kind != Kind::kBeginObject) return tokens_.Skip(first) || Fail();
  Token token;
  while ((token = tokens_.Next()).kind == Kind::kKey) {
    const bool is_outer = Key(token) == outer;
    token = tokens_.Next();
    if (!is_outer || token.kind != Kind::kBeginObject) {
      if (!tokens_.Skip(token)) return Fail();
      continue;
    }
    while ((token = tokens_.Next()).kind == Kind::kKey) {
      const bool is_inner = Key(token) == inner;
      token = tokens_.Next();
      if (!(is_inner ? ReadText(token, value) : tokens_.Skip(token) || Fail())) return false;
    }
    if (token.kind != Kind::kEndObject) return Fail();
  }
  return token.kind == Kind::kEndObject || Fail();
}

bool NotebookReader::ReadMetadata(Token first) {
  if (first.kind != Kind::kBeginObject) return tokens_.Skip(first) || Fail();
  // Both wanted values lie two levels down; the object is read twice rather than by a third reader.
  JsonTokens again = tokens_;
  if (!ReadInner(first, "kernelspec", "language", &kernel_language_)) return false;
  std::swap(tokens_, again);
  return ReadInner(first, "language_info", "name", &info_language_);
}

void NotebookReader::AddPiece(const Notebook::Piece& piece) {
  std::string& bytes = out_.bytes;
  const std::string_view inside = raw_.substr(0, piece.raw_end);
  std::size_t at = piece.raw_begin, next_anchor = 0;
  do {
    if (bytes.size() >= next_anchor) {
      out_.notebook.anchors_.push_back({static_cast<std::uint32_t>(bytes.size()),
                                        static_cast<std::uint32_t>(at), Position{}, 1});
      next_anchor = bytes.size() + kAnchorDistance;
    }
    if (at == piece.raw_end) break;
    const JsonChar c = JsonCharAt(inside, at);
    bytes.append(c.utf8.data(), c.size);
    at += c.raw_size;
  } while (at < piece.raw_end);
}

void NotebookReader::AddCell(const RawCell& cell) {
  Notebook& notebook = out_.notebook;
  std::string& bytes = out_.bytes;
  const std::size_t begin = bytes.size();
  const std::size_t anchors = notebook.anchors_.size(), pieces = notebook.pieces_.size();
  Notebook::Origin origin = cell.origin;
  origin.first_piece = static_cast<std::uint32_t>(pieces);
  origin.piece_count = static_cast<std::uint32_t>(cell.pieces.size());
  for (Notebook::Piece piece : cell.pieces) {
    piece.begin = static_cast<std::uint32_t>(bytes.size());
    notebook.pieces_.push_back(piece);
    AddPiece(piece);
  }
  if (cell.pieces.empty())
    notebook.anchors_.push_back({static_cast<std::uint32_t>(begin), origin.raw_begin + 1, {}, 1});
  const std::size_t end = bytes.size();
  if (CellMagicOf(std::string_view(bytes).substr(begin)) == CellMagic::kOtherLanguage) {
    bytes.resize(begin);
    notebook.anchors_.resize(anchors);
    notebook.pieces_.resize(pieces);
    return;
  }
  origin.added_line_end = end == begin || bytes.back() != '\n';
  if (origin.added_line_end) bytes += '\n';
  std::string code = bytes.substr(begin);
  const std::size_t magics_end = std::min(begin + EndOfCellMagics(code), end);
  MaskMagics(&code);
  out_.code += code;
  notebook.origins_.push_back(origin);
  Notebook::Cell& added = notebook.cells_.emplace_back();
  added.number = cell.number;
  added.id = cell.id;
  added.span = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  added.code_begin = static_cast<std::uint32_t>(magics_end);
}

// Anchors ascend in the JSON as well, so that one walk over it counts for all. Columns are counted
// behind the last line feed only: outputs between two cells cost next to nothing.
void NotebookReader::SetRawPositions() {
  std::size_t at = raw_.starts_with(kMark) ? kMark.size() : 0;
  Position position;
  std::uint32_t utf16 = 1;
  for (Notebook::Anchor& anchor : out_.notebook.anchors_) {
    std::string_view passed = raw_.substr(at, anchor.raw_offset - at);
    at = anchor.raw_offset;
    if (const std::size_t feed = passed.rfind('\n'); feed != passed.npos) {
      position.row += static_cast<std::uint32_t>(std::count(passed.begin(), passed.end(), '\n'));
      position.column = utf16 = 1;
      passed.remove_prefix(feed + 1);
    }
    for (const char c : passed) {
      const auto byte = static_cast<std::uint8_t>(c);
      position.column += (byte & 0xC0) != 0x80 ? 1u : 0u;
      utf16 += (byte & 0xC0) == 0x80 ? 0u : byte >= 0xF0 ? 2u : 1u;
    }
    anchor.raw_position = position;
    anchor.utf16_column = utf16;
  }
}

Result<NotebookReader::Text> NotebookReader::Read(std::string_view path, std::string raw) {
  NotebookReader reader(path, raw);
  const bool utf16 = raw.starts_with("\xFF\xFE") || raw.starts_with("\xFE\xFF");
  const std::size_t invalid = FirstInvalidUtf8(raw);
  if (utf16 || invalid < raw.size()) {
    reader.FailAt(utf16 ? 0 : invalid, "UTF-8, the encoding of notebooks");
    return Error{reader.error_};
  }
  if (!reader.ReadTop()) return Error{reader.error_};
  const std::string& language =
      reader.info_language_.empty() ? reader.kernel_language_ : reader.info_language_;
  const bool is_python = language.empty() || IsPythonName(language);
  for (const RawCell& cell : reader.cells_) {
    if (is_python && (cell.language.empty() || IsPythonName(cell.language))) reader.AddCell(cell);
  }
  Text& out = reader.out_;
  if (out.code == out.bytes) out.code.clear();
  reader.SetRawPositions();
  out.notebook.raw_ = std::move(raw);
  return std::move(out);
}

}  // namespace torchleak::text
