#include "report/place.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "text/notebook.h"
#include "text/percent.h"

namespace torchleak::report {
namespace {

bool IsAbsolute(std::string_view path) { return path.starts_with('/'); }

std::string Normal(std::string_view path) {
  return std::filesystem::path(path).lexically_normal().string();
}

DiskPosition DiskOf(const text::Source& source, std::uint32_t offset) {
  if (const text::Notebook* notebook = source.notebook(); notebook != nullptr) {
    const text::Position raw = notebook->RawPosition(offset);
    const std::size_t at = notebook->RawOffset(offset);
    const std::size_t line = notebook->raw().substr(0, at).rfind('\n') + 1;  // npos + 1 is 0
    return {raw.row, raw.column, notebook->RawUtf16Column(offset),
            static_cast<std::uint32_t>(at - line + 1)};
  }
  const text::Position position = source.PositionOf(offset);
  return {position.row, position.column, source.Utf16Column(offset),
          offset - source.LineSpan(position.row).begin + 1};
}

}  // namespace

Place PlaceOf(const ReportInput& input, const findings::Finding& finding,
              const findings::Location& location) {
  Place place;
  place.path = location.path.empty() ? finding.location.path : location.path;
  place.source = input.source_of ? input.source_of(place.path) : nullptr;
  if (place.source == nullptr) return place;
  const auto size = static_cast<std::uint32_t>(place.source->bytes().size());
  place.span.begin = std::min(location.span.begin, size);
  place.span.end = std::clamp(location.span.end, place.span.begin, size);
  place.begin = place.source->PositionOf(place.span.begin);
  place.end = place.source->PositionOf(place.span.end);
  if (const text::Notebook* notebook = place.source->notebook(); notebook != nullptr) {
    const text::Notebook::Cell& cell = notebook->CellAt(place.span.begin);
    place.cell = cell.number;
    place.begin.row -= cell.first_row - 1;
    place.end.row -= cell.first_row - 1;
  }
  return place;
}

Place FirstLineOf(const Place& place) {
  if (place.source == nullptr || place.begin.row == place.end.row) return place;
  Place cut = place;
  // A span may begin on the line end itself, behind the line's text.
  const std::uint32_t row = place.source->RowOf(place.span.begin);
  cut.span.end = std::max(place.span.begin, place.source->LineSpan(row).end);
  const bool same_row = place.source->RowOf(cut.span.end) == row;
  cut.end = {place.begin.row, place.source->PositionOf(cut.span.end).column};
  if (!same_row) cut.end = cut.begin;
  return cut;
}

std::string PositionText(const Place& place) {
  const std::string position = fmt::format("{}:{}", place.begin.row, place.begin.column);
  return place.cell == 0 ? position : fmt::format("cell {}:{}", place.cell, position);
}

DiskRegion OnDisk(const Place& place) {
  if (place.source == nullptr) return {};
  return {DiskOf(*place.source, place.span.begin), DiskOf(*place.source, place.span.end)};
}

DiskText TextOnDisk(const Place& place, std::uint32_t context) {
  const text::Source& source = *place.source;
  const DiskRegion region = OnDisk(place);
  DiskText out;
  out.first_row = region.begin.row > context ? region.begin.row - context : 1;
  if (const text::Notebook* notebook = source.notebook(); notebook != nullptr) {
    const std::string_view raw = notebook->raw();
    const std::size_t begin = notebook->RawOffset(place.span.begin);
    out.text = raw.substr(begin, notebook->RawOffset(place.span.end) - begin);
    std::size_t first = begin;
    for (std::uint32_t row = region.begin.row + 1; row > out.first_row; --row) {
      first = raw.substr(0, first).rfind('\n');
      if (first == std::string_view::npos) break;
    }
    first = first == std::string_view::npos ? 0 : first + 1;
    std::size_t last = raw.find('\n', begin);
    for (out.last_row = region.begin.row;
         out.last_row < region.begin.row + context && last < raw.size(); ++out.last_row) {
      last = raw.find('\n', last + 1);
    }
    out.around = raw.substr(first, last == std::string_view::npos ? last : last - first);
    return out;
  }
  out.last_row = std::min(region.begin.row + context, source.line_count());
  out.text = source.Text(place.span);
  out.around =
      source.Text({source.LineSpan(out.first_row).begin, source.LineSpan(out.last_row).end});
  return out;
}

Rows RowsAround(const text::Source& source, std::uint32_t row) {
  const text::Notebook* notebook = source.notebook();
  if (notebook == nullptr) return {1, source.line_count()};
  const text::Notebook::Cell& cell = notebook->CellAt(source.LineSpan(row).begin);
  const std::uint32_t last = cell.span.end > cell.span.begin ? cell.span.end - 1 : cell.span.end;
  return {cell.first_row, source.RowOf(last)};
}

std::string AbsolutePath(std::string_view path, std::string_view root) {
  if (path == "-") return std::string(path);
  if (IsAbsolute(path)) return Normal(path);
  return Normal(fmt::format("{}/{}", root, path));
}

std::string DisplayPath(std::string_view path, std::string_view root) {
  if (path == "-") return std::string(path);
  const std::string normal = Normal(path);
  if (!IsAbsolute(normal)) return normal;
  const std::string prefix = root.ends_with('/') ? std::string(root) : fmt::format("{}/", root);
  if (root.empty() || !normal.starts_with(prefix)) return normal;
  return normal.substr(prefix.size());
}

std::string FileUri(std::string_view absolute_path) {
  return "file://" + text::PercentEncoded(absolute_path);
}

std::string DirectoryUri(std::string_view absolute_path) {
  std::string uri = FileUri(absolute_path);
  if (!uri.ends_with('/')) uri.push_back('/');
  return uri;
}

std::string RelativeUri(std::string_view relative_path) {
  return text::PercentEncoded(relative_path);
}

}  // namespace torchleak::report
