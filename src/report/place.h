// Place: a findings::Location resolved to its file, rows and columns. Inner to this layer.
#pragma once

#include <string>
#include <string_view>

#include "report/report.h"

namespace torchleak::report {

struct Place {
  std::string_view path;                 // as the finding spells it
  const text::Source* source = nullptr;  // nullptr: unreadable, the positions are then 1:1
  text::Span span;                       // clamped to the source
  std::uint32_t cell = 0;                // of a notebook, from 1; 0: another file
  // As people count: in a notebook, within its cell. `end` is exclusive.
  text::Position begin;
  text::Position end;
};

// `location` is the finding's own or one of its flow or fix.
Place PlaceOf(const ReportInput& input, const findings::Finding& finding,
              const findings::Location& location);

// The place cut to its first line, for formats that know no multi-line regions.
Place FirstLineOf(const Place& place);

// "19:17", in a notebook "cell 3:2:8".
std::string PositionText(const Place& place);

// A position in a file as it lies on disk: of a notebook, in its JSON. Columns from 1, in three
// counts.
struct DiskPosition {
  std::uint32_t row = 1;
  std::uint32_t column = 1;        // characters
  std::uint32_t utf16_column = 1;  // as SARIF wants
  std::uint32_t byte_column = 1;   // as reviewdog wants
};
struct DiskRegion {
  DiskPosition begin;
  DiskPosition end;  // exclusive
};

// For services that know nothing of cells. The region of a notebook's line stays on one row.
DiskRegion OnDisk(const Place& place);

// The text of a place as it lies on disk, and with the rows around its first one. The place has a
// source.
struct DiskText {
  std::string_view text;
  std::string_view around;
  std::uint32_t first_row = 1;  // of `around`
  std::uint32_t last_row = 1;
};
DiskText TextOnDisk(const Place& place, std::uint32_t context);

// The rows of `source` that are shown together with `row`, all of them in source rows: the rows of
// its cell, or of the whole file.
struct Rows {
  std::uint32_t first = 1;
  std::uint32_t last = 1;
  // What people call `row`.
  std::uint32_t Shown(std::uint32_t row) const { return row - first + 1; }
};
Rows RowsAround(const text::Source& source, std::uint32_t row);

// Paths are compared and joined as text; the file system is never asked. "-" (standard input)
// stays.
std::string AbsolutePath(std::string_view path, std::string_view root);
// Relative to root when it lies below, else as it is.
std::string DisplayPath(std::string_view path, std::string_view root);

// Percent-encoded by RFC 3986. A directory's URI ends in a slash.
std::string FileUri(std::string_view absolute_path);
std::string DirectoryUri(std::string_view absolute_path);
std::string RelativeUri(std::string_view relative_path);

}  // namespace torchleak::report
