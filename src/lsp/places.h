// Places: where a span of an analysed file stands in the client's documents: in a text, in a cell
// of a notebook, in the JSON of a notebook that is open as text, or in a file that is not open.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lsp/documents.h"
#include "lsp/positions.h"
#include "lsp/protocol.h"
#include "text/source.h"

namespace torchleak::lsp {

class Places {
 public:
  Places(const Documents& documents, PositionEncoding encoding)
      : documents_(documents), encoding_(encoding) {}

  // `key` is the document's, an absolute path or a URI; `source` is what was analysed.
  Location Of(std::string_view key, const text::Source& source, text::Span span) const;
  // The other way round: an offset in `source`; nothing for a place that is in none of its cells.
  std::optional<std::uint32_t> OffsetOf(std::string_view uri, const text::Source& source,
                                        Position position) const;

 private:
  const Documents& documents_;
  PositionEncoding encoding_;
};

}  // namespace torchleak::lsp
