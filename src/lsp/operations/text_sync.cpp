#include "lsp/fields.h"
#include "lsp/operations/operations.h"
#include "lsp/protocol.h"
#include "lsp/server.h"

namespace torchleak::lsp {
namespace {

std::optional<text::Error> DidOpen(Notification& notification) {
  const Fields fields(notification.params, "params");
  TextDocumentItem item = ReadTextDocumentItem(fields.At("textDocument"));
  if (auto error = fields.error()) return error;
  notification.server.LogAll(notification.server.documents().Open(std::move(item)));
  return std::nullopt;
}

std::optional<text::Error> DidChange(Notification& notification) {
  const Fields fields(notification.params, "params");
  const Fields document = fields.At("textDocument");
  const std::string uri = document.String("uri");
  const std::int64_t version = document.Integer("version");
  const std::vector<ContentChange> changes = ReadContentChanges(fields, "contentChanges");
  if (auto error = fields.error()) return error;
  Server& server = notification.server;
  server.LogAll(server.documents().Change(uri, version, changes));
  return std::nullopt;
}

std::optional<text::Error> DidSave(Notification& notification) {
  const Fields fields(notification.params, "params");
  const std::string uri = fields.At("textDocument").String("uri");
  if (auto error = fields.error()) return error;
  notification.server.LogAll(notification.server.documents().Save(uri));
  return std::nullopt;
}

std::optional<text::Error> DidClose(Notification& notification) {
  const Fields fields(notification.params, "params");
  const std::string uri = fields.At("textDocument").String("uri");
  if (auto error = fields.error()) return error;
  notification.server.LogAll(notification.server.documents().Close(uri));
  return std::nullopt;
}

}  // namespace

void AddTextSync(Operations& operations) {
  operations.OnNotification("textDocument/didOpen", DidOpen);
  operations.OnNotification("textDocument/didChange", DidChange);
  operations.OnNotification("textDocument/didSave", DidSave);
  operations.OnNotification("textDocument/didClose", DidClose);
}

}  // namespace torchleak::lsp
