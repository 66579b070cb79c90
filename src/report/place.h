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
  text::Position begin;
  text::Position end;  // exclusive
};

// `location` is the finding's own or one of its flow or fix.
Place PlaceOf(const ReportInput& input, const findings::Finding& finding,
              const findings::Location& location);

// The place cut to its first line, for formats that know no multi-line regions.
Place FirstLineOf(const Place& place);

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
