#include "fix/document.h"

#include <utility>

#include "syntax/tree.h"

namespace torchleak::fix {

Document::Document(text::Source source, std::string raw)
    : source_(std::move(source)),
      raw_(std::move(raw)),
      syntax_errors_(syntax::Parse(source_).errors().size()) {}

text::Result<Document> Document::FromBytes(const std::string& path, std::string raw) {
  auto source = text::Source::FromBytes(path, raw);
  if (!source) return source.error();
  return Document(*std::move(source), std::move(raw));
}

text::Result<Document> Document::With(std::span<const Replacement> edits) const {
  auto raw = text::ReplaceInRaw(raw_, edits);
  if (!raw) return raw.error();
  auto fixed = FromBytes(source_.path(), *std::move(raw));
  if (!fixed) return fixed;
  // A coding line that was pushed down, for one, no longer counts.
  if (fixed->source().bytes() != Applied(source_.bytes(), edits)) {
    return text::Error{"the changed file would be read in another encoding"};
  }
  return fixed;
}

}  // namespace torchleak::fix
