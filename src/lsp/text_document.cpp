#include "lsp/text_document.h"

#include <fmt/format.h>

#include <utility>

#include "lsp/uri.h"

namespace torchleak::lsp {

TextDocument::TextDocument(TextDocumentItem item) { Reset(std::move(item)); }

void TextDocument::Reset(TextDocumentItem item) {
  std::optional<std::string> path = PathOf(item.uri);
  is_file_ = path.has_value();
  key_ = path ? *std::move(path) : item.uri;
  uri_ = std::move(item.uri);
  language_id_ = std::move(item.language_id);
  text_ = std::move(item.text);
  version_ = item.version;
  lines_ = LineIndex(text_);
}

std::size_t TextDocument::mark_size() const { return text_.starts_with("\xEF\xBB\xBF") ? 3 : 0; }

void TextDocument::Replace(const ContentChange& change, PositionEncoding encoding,
                           Applied* applied) {
  if (!change.range) {
    applied->edits.push_back({0, text_.size(), change.text.size()});
    text_ = change.text;
    lines_ = LineIndex(text_);
    return;
  }
  Range range = *change.range;
  const auto complain = [&](std::string_view what) {
    applied->complaints.push_back(fmt::format("{}: an edit from {}:{} to {}:{} {}", uri_,
                                              range.start.line, range.start.character,
                                              range.end.line, range.end.character, what));
  };
  if (range.end < range.start) {
    complain("ends before it begins; turned round");
    std::swap(range.start, range.end);
  }
  // Editors replace "to the end" with a line or column far behind it; only a begin that does not
  // exist tells of a text that is not ours.
  if (!Exists(text_, lines_, range.start, encoding)) {
    complain(fmt::format("begins outside of the text of {} lines; clamped", lines_.count()));
  }
  const std::size_t begin = OffsetAt(range.start, encoding);
  const std::size_t old_end = OffsetAt(range.end, encoding);
  const std::size_t new_end = begin + change.text.size();
  text_.replace(begin, old_end - begin, change.text);
  lines_.Replace(text_, begin, old_end, new_end);
  applied->edits.push_back({begin, old_end, new_end});
}

Applied TextDocument::Apply(std::int64_t version, std::span<const ContentChange> changes,
                            PositionEncoding encoding) {
  Applied applied;
  if (version <= version_) {
    applied.complaints.push_back(
        fmt::format("{}: version {} came after version {}", uri_, version, version_));
  }
  for (const ContentChange& change : changes) Replace(change, encoding, &applied);
  version_ = version;
  return applied;
}

}  // namespace torchleak::lsp
