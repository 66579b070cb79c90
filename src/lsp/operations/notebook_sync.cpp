#include <memory>
#include <utility>

#include "lsp/fields.h"
#include "lsp/operations/operations.h"
#include "lsp/protocol.h"
#include "lsp/server.h"

namespace torchleak::lsp {
namespace {

std::optional<text::Error> DidOpen(Notification& notification) {
  const Fields fields(notification.params, "params");
  const Fields notebook = fields.At("notebookDocument");
  auto document =
      std::make_unique<NotebookDocument>(notebook.String("uri"), notebook.String("notebookType"),
                                         notebook.Integer("version"), notebook.Any("metadata"));
  std::vector<NotebookCell> cells;
  const std::size_t cell_count = notebook.Array("cells").size();
  for (std::size_t i = 0; i < cell_count && !fields.error(); ++i) {
    cells.push_back(ReadNotebookCell(notebook.Element("cells", i)));
  }
  std::vector<TextDocumentItem> texts;
  const std::size_t text_count = fields.Array("cellTextDocuments").size();
  for (std::size_t i = 0; i < text_count && !fields.error(); ++i) {
    texts.push_back(ReadTextDocumentItem(fields.Element("cellTextDocuments", i)));
  }
  if (auto error = fields.error()) return error;
  Server& server = notification.server;
  server.LogAll(
      server.documents().OpenNotebook(std::move(document), std::move(cells), std::move(texts)));
  return std::nullopt;
}

std::optional<text::Error> DidChange(Notification& notification) {
  const Fields fields(notification.params, "params");
  const Fields notebook = fields.At("notebookDocument");
  const std::string uri = notebook.String("uri");
  const std::int64_t version = notebook.Integer("version");
  const Fields change = fields.At("change");
  if (auto error = fields.error()) return error;
  Server& server = notification.server;
  server.LogAll(server.documents().ChangeNotebook(uri, version, change));
  return fields.error();
}

std::optional<text::Error> DidSave(Notification& notification) {
  const Fields fields(notification.params, "params");
  const std::string uri = fields.At("notebookDocument").String("uri");
  if (auto error = fields.error()) return error;
  notification.server.LogAll(notification.server.documents().SaveNotebook(uri));
  return std::nullopt;
}

std::optional<text::Error> DidClose(Notification& notification) {
  const Fields fields(notification.params, "params");
  const std::string uri = fields.At("notebookDocument").String("uri");
  if (auto error = fields.error()) return error;
  notification.server.LogAll(notification.server.documents().CloseNotebook(uri));
  return std::nullopt;
}

}  // namespace

void AddNotebookSync(Operations& operations) {
  operations.OnNotification("notebookDocument/didOpen", DidOpen);
  operations.OnNotification("notebookDocument/didChange", DidChange);
  operations.OnNotification("notebookDocument/didSave", DidSave);
  operations.OnNotification("notebookDocument/didClose", DidClose);
}

}  // namespace torchleak::lsp
