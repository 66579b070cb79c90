#include "lsp/places.h"

#include <algorithm>

#include "lsp/uri.h"
#include "text/notebook.h"

namespace torchleak::lsp {
namespace {

// Of a text that no document holds.
Range RangeIn(std::string_view text, std::size_t begin, std::size_t end,
              PositionEncoding encoding) {
  const LineIndex lines(text);
  return {PositionAt(text, lines, begin, encoding), PositionAt(text, lines, end, encoding)};
}

}  // namespace

Location Places::Of(std::string_view key, const text::Source& source, text::Span span) const {
  const text::Notebook* notebook = source.notebook();
  if (const NotebookDocument* open = documents_.FindNotebookByKey(key)) {
    const auto begin = open->CellPlaceOf(source, span.begin);
    if (!begin) return {open->uri(), {}};
    const auto end = open->CellPlaceOf(source, span.end);
    const bool same = end && end->cell == begin->cell;
    const std::size_t stop = same ? end->offset : begin->cell->text().size();
    return {begin->cell->uri(), begin->cell->RangeAt(begin->offset, stop, encoding_)};
  }
  const TextDocument* document = documents_.FindByKey(key);
  std::size_t begin = span.begin, end = span.end;
  if (notebook != nullptr) {
    begin = notebook->RawOffset(span.begin);
    end = std::max(begin, notebook->RawOffset(span.end));
  } else if (document != nullptr) {
    begin += document->mark_size();
    end += document->mark_size();
  }
  if (document != nullptr) return {document->uri(), document->RangeAt(begin, end, encoding_)};
  const std::string_view text = notebook != nullptr ? notebook->raw() : source.bytes();
  return {UriOf(key), RangeIn(text, begin, end, encoding_)};
}

std::optional<std::uint32_t> Places::OffsetOf(std::string_view uri, const text::Source& source,
                                              Position position) const {
  const TextDocument* document = documents_.Find(uri);
  if (document == nullptr) return std::nullopt;
  const std::size_t offset = document->OffsetAt(position, encoding_);
  if (const NotebookDocument* notebook = documents_.NotebookOfCell(uri))
    return notebook->SourceOffsetOf(source, uri, offset);
  if (source.notebook() != nullptr) return source.notebook()->OffsetOfRaw(offset);
  const std::size_t mark = document->mark_size();
  const std::size_t size = source.bytes().size();
  return static_cast<std::uint32_t>(std::min(offset < mark ? 0 : offset - mark, size));
}

}  // namespace torchleak::lsp
