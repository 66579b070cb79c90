// Documents: all that the client has open. Texts belong to it while they are open, whatever the
// disk says. Two spellings of a URI are one document, the last one spelt counts.
//
//   documents.Open({uri, "python", text, 1});
//   if (const TextDocument* document = documents.Find(uri)) …        // cells of notebooks too
//
// Messages that do not fit (closing what is not open) change nothing and are given back as
// complaints, which the server logs.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/notebook_document.h"
#include "lsp/text_document.h"

namespace torchleak::lsp {

// What has happened to a file, told after the fact. Of a notebook it is told once for the whole.
struct DocumentEvent {
  enum class Kind { kOpened, kChanged, kSaved, kClosed };
  Kind kind = Kind::kOpened;
  std::string key, uri;
  bool is_notebook = false, is_file = true;
  std::vector<AppliedEdit> edits;  // of kChanged; empty for notebooks
};

class Documents {
 public:
  using Listener = std::function<void(const DocumentEvent&)>;
  using Complaints = std::vector<std::string>;
  using TextMap = std::map<std::string, std::unique_ptr<TextDocument>, std::less<>>;
  using NotebookMap = std::map<std::string, std::unique_ptr<NotebookDocument>, std::less<>>;

  void SetListener(Listener listener) { listener_ = std::move(listener); }
  void SetEncoding(PositionEncoding encoding) { encoding_ = encoding; }
  PositionEncoding encoding() const { return encoding_; }

  // By any spelling of its URI. Pointers stay valid until the document is closed, of cells until
  // their notebook changes.
  const TextDocument* Find(std::string_view uri) const;  // a cell of a notebook too
  const TextDocument* FindByKey(std::string_view key) const;
  const NotebookDocument* FindNotebook(std::string_view uri) const;
  const NotebookDocument* FindNotebookByKey(std::string_view key) const;
  const NotebookDocument* NotebookOfCell(std::string_view cell_uri) const;
  const TextMap& texts() const { return texts_; }  // by key, without cells
  const NotebookMap& notebooks() const { return notebooks_; }

  Complaints Open(TextDocumentItem item);
  Complaints Change(std::string_view uri, std::int64_t version,
                    std::span<const ContentChange> changes);
  Complaints Save(std::string_view uri);
  Complaints Close(std::string_view uri);

  Complaints OpenNotebook(std::unique_ptr<NotebookDocument> notebook,
                          std::vector<NotebookCell> cells, std::vector<TextDocumentItem> texts);
  Complaints ChangeNotebook(std::string_view uri, std::int64_t version, const Fields& change);
  Complaints SaveNotebook(std::string_view uri);
  Complaints CloseNotebook(std::string_view uri);

 private:
  void Tell(DocumentEvent::Kind kind, const TextDocument& document,
            std::vector<AppliedEdit> edits = {}) const;
  void Tell(DocumentEvent::Kind kind, const NotebookDocument& notebook) const;

  PositionEncoding encoding_ = PositionEncoding::kUtf16;
  TextMap texts_;
  NotebookMap notebooks_;
  Listener listener_;
};

}  // namespace torchleak::lsp
