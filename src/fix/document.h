// Document: one file while it is fixed: its bytes as on disk, and the text that findings speak of.
// A notebook is one, too: its text is that of its Python cells, its bytes are JSON.
//
//   auto document = Document::FromBytes("train.py", bytes);
//   auto fixed = document->With(edits);       // error: says why these edits are refused
//   if (fixed->syntax_errors() > document->syntax_errors()) …
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "fix/edits.h"
#include "text/result.h"
#include "text/source.h"

namespace torchleak::fix {

class Document {
 public:
  static text::Result<Document> FromBytes(const std::string& path, std::string raw);

  const text::Source& source() const { return source_; }
  const std::string& raw() const { return raw_; }
  // How many places do not parse.
  std::size_t syntax_errors() const { return syntax_errors_; }

  // With edits of source().bytes(), Normalized(). What they do not touch keeps its bytes, and the
  // new bytes read as the new text: else it is an error.
  text::Result<Document> With(std::span<const Replacement> edits) const;

 private:
  Document(text::Source source, std::string raw);
  text::Result<std::string> RawWith(std::span<const Replacement> edits) const;

  text::Source source_;
  std::string raw_;
  std::size_t syntax_errors_;
};

}  // namespace torchleak::fix
