#include "fix/document.h"

#include <utility>
#include <vector>

#include "syntax/tree.h"
#include "text/notebook.h"

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

text::Result<std::string> Document::RawWith(std::span<const Replacement> edits) const {
  const text::Notebook* notebook = source_.notebook();
  if (notebook == nullptr) return text::ReplaceInRaw(raw_, edits);
  std::vector<text::Notebook::Edit> in_cells;
  for (const Replacement& edit : edits) in_cells.push_back({edit.span, edit.content});
  return notebook->Rewrite(in_cells);
}

text::Result<Document> Document::With(std::span<const Replacement> edits) const {
  auto raw = RawWith(edits);
  if (!raw) return raw.error();
  auto fixed = FromBytes(source_.path(), *std::move(raw));
  if (!fixed) return fixed;
  // A coding line that was pushed down, for one, no longer counts; nor is a cell Python any more
  // that begins with a magic.
  if (fixed->source().bytes() != Applied(source_.bytes(), edits)) {
    return text::Error{"the changed file would not be read as what was meant"};
  }
  return fixed;
}

}  // namespace torchleak::fix
