// NotebookDocument: a notebook as the client has it on the screen, each cell with a text document
// of its own. For the analysis it becomes the file that the client would save: FileText() through
// text::Source::FromBytes("x.ipynb", …) gives the cells, numbers and findings of the command line.
//
//   const text::Source source = *text::Source::FromBytes(notebook.key(), notebook.FileText());
//   if (auto place = notebook.CellPlaceOf(source, finding.span.begin))
//     place->cell->PositionAt(place->offset, encoding);
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/protocol.h"
#include "lsp/text_document.h"
#include "text/source.h"

namespace torchleak::lsp {

class NotebookDocument {
 public:
  struct Cell {
    NotebookCell said;  // kind, URI, metadata
    std::string id;     // made here, the same for as long as the cell is there
    // Null when the client did not send its text: a cell of text, or of another language.
    std::optional<TextDocument> text;
  };
  struct CellPlace {
    const TextDocument* cell;
    std::size_t offset;  // in cell->text()
  };

  NotebookDocument(std::string uri, std::string type, std::int64_t version, Json metadata);

  const std::string& uri() const { return uri_; }
  const std::string& key() const { return key_; }
  bool is_file() const { return is_file_; }
  const std::string& type() const { return type_; }
  std::int64_t version() const { return version_; }
  const std::vector<Cell>& cells() const { return cells_; }
  // The number of a cell is its index + 1.
  const Cell* FindCell(std::string_view uri) const;

  // Changes: what does not fit is clamped or passed over, with a complaint that is to be logged.
  std::vector<std::string> Open(std::vector<NotebookCell> cells,
                                std::vector<TextDocumentItem> texts);
  // The parameter `change` of notebookDocument/didChange.
  std::vector<std::string> Apply(std::int64_t version, const Fields& change,
                                 PositionEncoding encoding);

  std::string FileText() const;  // JSON of nbformat 4.5
  // `source` is that of FileText(), or of FileText() before an edit that left the cells in place.
  std::optional<CellPlace> CellPlaceOf(const text::Source& source, std::uint32_t offset) const;
  std::optional<std::uint32_t> SourceOffsetOf(const text::Source& source, std::string_view cell_uri,
                                              std::size_t offset) const;

 private:
  struct Splice {
    std::size_t start = 0, deleted = 0;
    std::vector<NotebookCell> cells;
  };
  void ApplySplice(Splice splice, std::vector<std::string>* complaints);
  void ApplyStructure(const Fields& structure, std::vector<std::string>* complaints);
  void ApplyTexts(const Fields& cells, PositionEncoding encoding,
                  std::vector<std::string>* complaints);
  void ApplyData(const Fields& cells, std::vector<std::string>* complaints);
  void SetText(TextDocumentItem item, std::vector<std::string>* complaints);
  Cell* Find(std::string_view uri);
  Cell NewCell(NotebookCell said);

  std::string uri_, key_, type_;
  bool is_file_ = false;
  std::int64_t version_ = 0;
  Json metadata_;
  std::vector<Cell> cells_;
  std::uint64_t next_id_ = 1;
};

}  // namespace torchleak::lsp
