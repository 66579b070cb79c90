// TextDocument: a text as the client has it on the screen.
//
//   TextDocument document({uri, "python", text, 1});
//   Applied applied = document.Apply(2, changes, PositionEncoding::kUtf16);
//   for (const AppliedEdit& edit : applied.edits) …       // in bytes, for an incremental parser
//
// The text is what the client sent, a mark U+FEFF at its begin included: positions count it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/positions.h"
#include "lsp/protocol.h"

namespace torchleak::lsp {

// The bytes [begin, old_end) became [begin, new_end). Each counts in the text that the one before
// it left.
struct AppliedEdit {
  std::size_t begin = 0, old_end = 0, new_end = 0;
  bool operator==(const AppliedEdit&) const = default;
};

struct Applied {
  std::vector<AppliedEdit> edits;
  std::vector<std::string> complaints;  // to be logged
};

class TextDocument {
 public:
  explicit TextDocument(TextDocumentItem item);

  const std::string& uri() const { return uri_; }  // as the client spells it
  const std::string& key() const { return key_; }  // the path, or the URI of what is no file
  bool is_file() const { return is_file_; }
  const std::string& language_id() const { return language_id_; }
  std::int64_t version() const { return version_; }
  const std::string& text() const { return text_; }
  const LineIndex& lines() const { return lines_; }
  // Bytes of a mark at the begin, which text::Source drops: 3 or 0. An offset in Source::bytes()
  // plus this is one in text().
  std::size_t mark_size() const;

  Position PositionAt(std::size_t offset, PositionEncoding encoding) const {
    return lsp::PositionAt(text_, lines_, offset, encoding);
  }
  std::size_t OffsetAt(Position position, PositionEncoding encoding) const {
    return lsp::OffsetAt(text_, lines_, position, encoding);
  }
  Range RangeAt(std::size_t begin, std::size_t end, PositionEncoding encoding) const {
    return {PositionAt(begin, encoding), PositionAt(end, encoding)};
  }

  // In order. A range that begins out of the text is clamped and a reversed one turned round, both
  // with a complaint. So is a version that is not greater than before, and its edits are made: the
  // stream keeps the order, so that such a client counts wrong rather than sends twice, and to
  // refuse its edits would leave a text that it does not have. The version is the one it said.
  Applied Apply(std::int64_t version, std::span<const ContentChange> changes,
                PositionEncoding encoding);
  // Opened once more.
  void Reset(TextDocumentItem item);

 private:
  void Replace(const ContentChange& change, PositionEncoding encoding, Applied* applied);

  std::string uri_, key_, language_id_, text_;
  std::int64_t version_ = 0;
  bool is_file_ = false;
  LineIndex lines_;
};

}  // namespace torchleak::lsp
