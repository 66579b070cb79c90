#include "lsp/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lsp/uri.h"

namespace torchleak::lsp {
namespace {

template <typename Map>
auto* FindIn(const Map& map, std::string_view key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : found->second.get();
}

std::string NotOpen(std::string_view uri, std::string_view what) {
  return fmt::format("{}: is not open, and cannot be {}", uri, what);
}

}  // namespace

const TextDocument* Documents::FindByKey(std::string_view key) const { return FindIn(texts_, key); }

const TextDocument* Documents::Find(std::string_view uri) const {
  if (const TextDocument* document = FindByKey(DocumentKey(uri))) return document;
  const NotebookDocument* notebook = NotebookOfCell(uri);
  if (notebook == nullptr) return nullptr;
  const NotebookDocument::Cell* cell = notebook->FindCell(uri);
  return cell->text ? &*cell->text : nullptr;
}

const NotebookDocument* Documents::FindNotebookByKey(std::string_view key) const {
  return FindIn(notebooks_, key);
}

const NotebookDocument* Documents::FindNotebook(std::string_view uri) const {
  return FindNotebookByKey(DocumentKey(uri));
}

const NotebookDocument* Documents::NotebookOfCell(std::string_view cell_uri) const {
  const auto found = std::find_if(notebooks_.begin(), notebooks_.end(), [&](const auto& entry) {
    return entry.second->FindCell(cell_uri) != nullptr;
  });
  return found == notebooks_.end() ? nullptr : found->second.get();
}

void Documents::Tell(DocumentEvent::Kind kind, const TextDocument& document,
                     std::vector<AppliedEdit> edits) const {
  if (!listener_) return;
  listener_({kind, document.key(), document.uri(), false, document.is_file(), std::move(edits)});
}

void Documents::Tell(DocumentEvent::Kind kind, const NotebookDocument& notebook) const {
  if (!listener_) return;
  listener_({kind, notebook.key(), notebook.uri(), true, notebook.is_file(), {}});
}

Documents::Complaints Documents::Open(TextDocumentItem item) {
  Complaints complaints;
  const std::string key = DocumentKey(item.uri);
  auto& place = texts_[key];
  if (place == nullptr) {
    place = std::make_unique<TextDocument>(std::move(item));
  } else {
    complaints.push_back(
        fmt::format("{}: was open already; the text that came last is taken", item.uri));
    place->Reset(std::move(item));
  }
  Tell(DocumentEvent::Kind::kOpened, *place);
  return complaints;
}

Documents::Complaints Documents::Change(std::string_view uri, std::int64_t version,
                                        std::span<const ContentChange> changes) {
  TextDocument* document = FindIn(texts_, DocumentKey(uri));
  if (document == nullptr) return {NotOpen(uri, "changed")};
  Applied applied = document->Apply(version, changes, encoding_);
  Tell(DocumentEvent::Kind::kChanged, *document, std::move(applied.edits));
  return std::move(applied.complaints);
}

Documents::Complaints Documents::Save(std::string_view uri) {
  const TextDocument* document = FindByKey(DocumentKey(uri));
  if (document == nullptr) return {NotOpen(uri, "saved")};
  Tell(DocumentEvent::Kind::kSaved, *document);
  return {};
}

Documents::Complaints Documents::Close(std::string_view uri) {
  const auto found = texts_.find(DocumentKey(uri));
  if (found == texts_.end()) return {NotOpen(uri, "closed")};
  const std::unique_ptr<TextDocument> closed = std::move(found->second);
  texts_.erase(found);
  Tell(DocumentEvent::Kind::kClosed, *closed);
  return {};
}

Documents::Complaints Documents::OpenNotebook(std::unique_ptr<NotebookDocument> notebook,
                                              std::vector<NotebookCell> cells,
                                              std::vector<TextDocumentItem> texts) {
  Complaints complaints = notebook->Open(std::move(cells), std::move(texts));
  auto& place = notebooks_[notebook->key()];
  if (place != nullptr) {
    complaints.push_back(
        fmt::format("{}: was open already; what came last is taken", notebook->uri()));
  }
  place = std::move(notebook);
  Tell(DocumentEvent::Kind::kOpened, *place);
  return complaints;
}

Documents::Complaints Documents::ChangeNotebook(std::string_view uri, std::int64_t version,
                                                const Fields& change) {
  NotebookDocument* notebook = FindIn(notebooks_, DocumentKey(uri));
  if (notebook == nullptr) return {NotOpen(uri, "changed")};
  Complaints complaints = notebook->Apply(version, change, encoding_);
  Tell(DocumentEvent::Kind::kChanged, *notebook);
  return complaints;
}

Documents::Complaints Documents::SaveNotebook(std::string_view uri) {
  const NotebookDocument* notebook = FindNotebook(uri);
  if (notebook == nullptr) return {NotOpen(uri, "saved")};
  Tell(DocumentEvent::Kind::kSaved, *notebook);
  return {};
}

Documents::Complaints Documents::CloseNotebook(std::string_view uri) {
  const auto found = notebooks_.find(DocumentKey(uri));
  if (found == notebooks_.end()) return {NotOpen(uri, "closed")};
  const std::unique_ptr<NotebookDocument> closed = std::move(found->second);
  notebooks_.erase(found);
  Tell(DocumentEvent::Kind::kClosed, *closed);
  return {};
}

}  // namespace torchleak::lsp
