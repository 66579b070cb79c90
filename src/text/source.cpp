// Line starts are found with memchr; a column is counted from its line start when asked for, by
// counting the bytes that begin a code point, which compilers turn into vector code.
#include "text/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "text/decode.h"
#include "text/notebook.h"
#include "text/notebook_reader.h"

namespace torchleak::text {
namespace {

bool IsContinuation(char c) { return (static_cast<std::uint8_t>(c) & 0xC0) == 0x80; }

std::size_t FindFrom(std::string_view bytes, char c, std::size_t from) {
  if (from >= bytes.size()) return bytes.size();
  const void* hit = std::memchr(bytes.data() + from, c, bytes.size() - from);
  return hit == nullptr ? bytes.size()
                        : static_cast<std::size_t>(static_cast<const char*>(hit) - bytes.data());
}

std::vector<std::uint32_t> LineStarts(std::string_view bytes) {
  std::vector<std::uint32_t> starts{0};
  starts.reserve(bytes.size() / 32 + 1);  // 35 bytes a line in Python's own library
  std::size_t feed = FindFrom(bytes, '\n', 0);
  std::size_t carriage = FindFrom(bytes, '\r', 0);
  while (feed < bytes.size() || carriage < bytes.size()) {
    std::size_t next;
    if (feed < carriage) {
      next = feed + 1;
    } else {
      next = carriage + 1;
      if (feed == next && feed < bytes.size()) ++next;  // \r\n is one line end
      carriage = FindFrom(bytes, '\r', next);
    }
    if (feed < next) feed = FindFrom(bytes, '\n', next);
    starts.push_back(static_cast<std::uint32_t>(next));
  }
  return starts;
}

std::uint32_t CodePoints(std::string_view text) {
  std::uint32_t count = 0;
  for (char c : text) count += IsContinuation(c) ? 0u : 1u;
  return count;
}

// Start of the code point that `offset` lies in.
std::uint32_t CodePointStart(std::string_view bytes, std::uint32_t offset) {
  while (offset > 0 && offset < bytes.size() && IsContinuation(bytes[offset])) --offset;
  return offset;
}

}  // namespace

std::size_t Source::MaxBytes(std::string_view path) {
  return IsNotebook(path) ? kMaxNotebookBytes : kMaxBytes;
}

Result<Source> Source::FromBytes(std::string path, std::string raw) {
  return Read(std::move(path), std::move(raw), false);
}

Result<Source> Source::FromText(std::string path, std::string utf8) {
  return Read(std::move(path), ReplaceInvalid(std::move(utf8)), true);
}

Result<Source> Source::Read(std::string path, std::string raw, bool is_text) {
  const auto too_large = [&](std::string_view what, std::size_t size, std::size_t limit) {
    return Error{fmt::format("{}: {} {:.1f} MiB; files above {} MiB are not analyzed", path, what,
                             static_cast<double>(size) / (1 << 20), limit >> 20)};
  };
  if (raw.size() > MaxBytes(path)) return too_large("is", raw.size(), MaxBytes(path));
  Source source;
  if (IsNotebook(path)) {
    auto read = NotebookReader::Read(path, std::move(raw));
    if (!read) return read.error();
    if (read->bytes.size() > kMaxBytes)
      return too_large("has Python cells of", read->bytes.size(), kMaxBytes);
    source.bytes_ = std::move(read->bytes);
    source.code_ = std::move(read->code);
    source.line_starts_ = LineStarts(source.bytes_);
    read->notebook.SetRows(source);
    source.notebook_ = std::make_shared<const Notebook>(std::move(read->notebook));
  } else {
    if (raw.starts_with("\xEF\xBB\xBF")) source.dropped_mark_ = 3;
    Result<std::string> bytes =
        is_text ? CheckPython(path, std::move(raw)) : DecodePython(path, std::move(raw));
    if (!bytes) return bytes.error();
    source.bytes_ = std::move(*bytes);
    source.line_starts_ = LineStarts(source.bytes_);
  }
  source.path_ = std::move(path);
  return source;
}

Span Source::LineSpan(std::uint32_t row) const {
  const auto size = static_cast<std::uint32_t>(bytes_.size());
  if (row == 0) return {0, 0};
  if (row > line_count()) return {size, size};
  const std::uint32_t begin = line_starts_[row - 1];
  std::uint32_t end = row < line_count() ? line_starts_[row] : size;
  if (row < line_count()) {
    --end;
    if (bytes_[end] == '\n' && end > begin && bytes_[end - 1] == '\r') --end;
  }
  return {begin, end};
}

std::string_view Source::Line(std::uint32_t row) const { return Text(LineSpan(row)); }

std::uint32_t Source::RowOf(std::uint32_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return static_cast<std::uint32_t>(after - line_starts_.begin());
}

Position Source::PositionOf(std::uint32_t offset) const {
  offset = std::min(offset, static_cast<std::uint32_t>(bytes_.size()));
  const std::uint32_t row = RowOf(offset);
  const std::uint32_t begin = line_starts_[row - 1];
  offset = CodePointStart(bytes_, offset);
  return {row, 1 + CodePoints(Text({begin, offset}))};
}

std::uint32_t Source::OffsetOf(Position position) const {
  const std::uint32_t row = std::clamp(position.row, 1u, line_count());
  const Span line = LineSpan(row);
  std::uint32_t offset = line.begin;
  for (std::uint32_t column = 1; column < position.column && offset < line.end; ++column) {
    ++offset;
    while (offset < line.end && IsContinuation(bytes_[offset])) ++offset;
  }
  return offset;
}

std::uint32_t Source::Utf16Column(std::uint32_t offset) const {
  offset = std::min(offset, static_cast<std::uint32_t>(bytes_.size()));
  const std::uint32_t begin = line_starts_[RowOf(offset) - 1];
  offset = CodePointStart(bytes_, offset);
  std::uint32_t column = 1;
  for (char c : Text({begin, offset})) {
    if (IsContinuation(c)) continue;
    column += static_cast<std::uint8_t>(c) >= 0xF0 ? 2u : 1u;  // a surrogate pair above U+FFFF
  }
  return column;
}

}  // namespace torchleak::text
