#include "lsp/notebook_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lsp/uri.h"
#include "text/notebook.h"

namespace torchleak::lsp {
namespace {

using Complaints = std::vector<std::string>;

constexpr std::string_view kPython = "python";

// NUL has no place in Python and text::Source takes it for U+FFFD, which has three bytes: another
// character that is no Python keeps the offsets.
std::string WithoutNul(std::string text) {
  std::replace(text.begin(), text.end(), '\0', '\x01');
  return text;
}

// What the file says of a cell's language; the text document's own id beats what its metadata says.
Json CellMetadata(const NotebookDocument::Cell& cell) {
  Json metadata = cell.said.metadata.is_object() ? cell.said.metadata : Json::object();
  if (cell.text && cell.text->language_id() != kPython) {
    metadata["vscode"] = {{"languageId", cell.text->language_id()}};
  } else if (cell.text) {
    metadata.erase("vscode");
  }
  return metadata;
}

// Clients give the file's metadata as it is, one level down as VS Code does, or two as it did.
Json FileMetadata(const Json& said) {
  const Json* metadata = &said;
  for (const char* key : {"custom", "metadata"}) {
    const auto inner = metadata->find(key);
    if (metadata->is_object() && inner != metadata->end() && inner->is_object()) metadata = &*inner;
  }
  return metadata->is_object() ? *metadata : Json::object();
}

}  // namespace

NotebookDocument::NotebookDocument(std::string uri, std::string type, std::int64_t version,
                                   Json metadata)
    : uri_(std::move(uri)),
      type_(std::move(type)),
      version_(version),
      metadata_(std::move(metadata)) {
  std::optional<std::string> path = PathOf(uri_);
  is_file_ = path.has_value();
  key_ = path ? *std::move(path) : uri_;
}

const NotebookDocument::Cell* NotebookDocument::FindCell(std::string_view uri) const {
  const auto found = std::find_if(cells_.begin(), cells_.end(),
                                  [uri](const Cell& cell) { return cell.said.document == uri; });
  return found == cells_.end() ? nullptr : &*found;
}

NotebookDocument::Cell* NotebookDocument::Find(std::string_view uri) {
  return const_cast<Cell*>(std::as_const(*this).FindCell(uri));
}

NotebookDocument::Cell NotebookDocument::NewCell(NotebookCell said) {
  return {std::move(said), fmt::format("cell-{}", next_id_++), std::nullopt};
}

void NotebookDocument::SetText(TextDocumentItem item, Complaints* complaints) {
  Cell* cell = Find(item.uri);
  if (cell == nullptr) {
    complaints->push_back(fmt::format("{}: {} is no cell of it", uri_, item.uri));
    return;
  }
  cell->text.emplace(std::move(item));
}

Complaints NotebookDocument::Open(std::vector<NotebookCell> cells,
                                  std::vector<TextDocumentItem> texts) {
  Complaints complaints;
  cells_.clear();
  for (NotebookCell& cell : cells) cells_.push_back(NewCell(std::move(cell)));
  for (TextDocumentItem& text : texts) SetText(std::move(text), &complaints);
  return complaints;
}

void NotebookDocument::ApplySplice(Splice splice, Complaints* complaints) {
  const std::size_t start = std::min(splice.start, cells_.size());
  const std::size_t deleted = std::min(splice.deleted, cells_.size() - start);
  if (start != splice.start || deleted != splice.deleted) {
    complaints->push_back(fmt::format("{}: cells {} to {} of {} were to be replaced; clamped", uri_,
                                      splice.start, splice.start + splice.deleted, cells_.size()));
  }
  // A cell that moves is taken out and put in by one message or by two: what is put in under a
  // known URI keeps text and id.
  const auto begin = cells_.begin() + static_cast<std::ptrdiff_t>(start);
  std::vector<Cell> old(std::make_move_iterator(begin),
                        std::make_move_iterator(begin + static_cast<std::ptrdiff_t>(deleted)));
  cells_.erase(begin, begin + static_cast<std::ptrdiff_t>(deleted));
  std::vector<Cell> added;
  for (NotebookCell& said : splice.cells) {
    const auto known = std::find_if(old.begin(), old.end(), [&](const Cell& cell) {
      return cell.said.document == said.document;
    });
    if (known == old.end()) {
      added.push_back(NewCell(std::move(said)));
      continue;
    }
    known->said = std::move(said);
    added.push_back(std::move(*known));
    old.erase(known);
  }
  cells_.insert(cells_.begin() + static_cast<std::ptrdiff_t>(start),
                std::make_move_iterator(added.begin()), std::make_move_iterator(added.end()));
}

void NotebookDocument::ApplyStructure(const Fields& structure, Complaints* complaints) {
  const Fields array = structure.At("array");
  Splice splice{array.Unsigned("start"), array.Unsigned("deleteCount"), {}};
  if (array.Has("cells")) {
    const std::size_t count = array.Array("cells").size();
    for (std::size_t i = 0; i < count; ++i) {
      splice.cells.push_back(ReadNotebookCell(array.Element("cells", i)));
    }
  }
  std::vector<TextDocumentItem> opened;
  if (structure.Has("didOpen")) {
    const std::size_t count = structure.Array("didOpen").size();
    for (std::size_t i = 0; i < count; ++i) {
      opened.push_back(ReadTextDocumentItem(structure.Element("didOpen", i)));
    }
  }
  if (structure.error()) return;
  ApplySplice(std::move(splice), complaints);
  // Closed before opened: a cell whose language changes is in both lists.
  if (structure.Has("didClose")) {
    const std::size_t count = structure.Array("didClose").size();
    for (std::size_t i = 0; i < count; ++i) {
      if (Cell* cell = Find(structure.Element("didClose", i).String("uri"))) cell->text.reset();
    }
  }
  for (TextDocumentItem& item : opened) SetText(std::move(item), complaints);
}

void NotebookDocument::ApplyData(const Fields& cells, Complaints* complaints) {
  const std::size_t count = cells.Array("data").size();
  for (std::size_t i = 0; i < count && !cells.error(); ++i) {
    NotebookCell said = ReadNotebookCell(cells.Element("data", i));
    if (Cell* cell = Find(said.document)) {
      cell->said = std::move(said);
    } else {
      complaints->push_back(fmt::format("{}: {} is no cell of it", uri_, said.document));
    }
  }
}

void NotebookDocument::ApplyTexts(const Fields& cells, PositionEncoding encoding,
                                  Complaints* complaints) {
  const std::size_t count = cells.Array("textContent").size();
  for (std::size_t i = 0; i < count && !cells.error(); ++i) {
    const Fields element = cells.Element("textContent", i);
    const Fields document = element.At("document");
    const std::string uri = document.String("uri");
    const std::int64_t version = document.Integer("version");
    const std::vector<ContentChange> changes = ReadContentChanges(element, "changes");
    if (cells.error()) return;
    Cell* cell = Find(uri);
    if (cell == nullptr || !cell->text) {
      complaints->push_back(fmt::format("{}: {} is not open, and cannot be changed", uri_, uri));
      continue;
    }
    const Applied applied = cell->text->Apply(version, changes, encoding);
    complaints->insert(complaints->end(), applied.complaints.begin(), applied.complaints.end());
  }
}

Complaints NotebookDocument::Apply(std::int64_t version, const Fields& change,
                                   PositionEncoding encoding) {
  Complaints complaints;
  if (version <= version_) {
    complaints.push_back(
        fmt::format("{}: version {} came after version {}", uri_, version, version_));
  }
  version_ = version;
  if (change.Has("metadata")) metadata_ = change.Object("metadata");
  if (!change.Has("cells")) return complaints;
  const Fields cells = change.At("cells");
  if (cells.Has("structure")) ApplyStructure(cells.At("structure"), &complaints);
  if (cells.Has("data")) ApplyData(cells, &complaints);
  if (cells.Has("textContent")) ApplyTexts(cells, encoding, &complaints);
  return complaints;
}

std::string NotebookDocument::FileText() const {
  Json cells = Json::array();
  for (const Cell& cell : cells_) {
    Json& json = cells.emplace_back(Json{{"cell_type", cell.said.is_code ? "code" : "markdown"},
                                         {"id", cell.id},
                                         {"metadata", CellMetadata(cell)},
                                         {"source", ""}});
    if (!cell.said.is_code) continue;
    json["execution_count"] = nullptr;
    json["outputs"] = Json::array();
    if (cell.text) json["source"] = WithoutNul(cell.text->text());
  }
  const Json file = {{"cells", std::move(cells)},
                     {"metadata", FileMetadata(metadata_)},
                     {"nbformat", 4},
                     {"nbformat_minor", 5}};
  return file.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<NotebookDocument::CellPlace> NotebookDocument::CellPlaceOf(
    const text::Source& source, std::uint32_t offset) const {
  if (source.notebook() == nullptr || source.notebook()->cells().empty()) return std::nullopt;
  const text::Notebook::Cell& at = source.notebook()->CellAt(offset);
  if (at.number > cells_.size() || !cells_[at.number - 1].text) return std::nullopt;
  const TextDocument& text = *cells_[at.number - 1].text;
  const std::size_t inside = std::max(offset, at.span.begin) - at.span.begin;
  return CellPlace{&text, std::min(inside, text.text().size())};
}

std::optional<std::uint32_t> NotebookDocument::SourceOffsetOf(const text::Source& source,
                                                              std::string_view cell_uri,
                                                              std::size_t offset) const {
  const Cell* cell = FindCell(cell_uri);
  if (cell == nullptr || source.notebook() == nullptr) return std::nullopt;
  const auto number = static_cast<std::uint32_t>(cell - cells_.data() + 1);
  for (const text::Notebook::Cell& at : source.notebook()->cells()) {
    if (at.number != number) continue;
    const std::size_t size = at.span.end - at.span.begin;
    return at.span.begin + static_cast<std::uint32_t>(std::min(offset, size));
  }
  return std::nullopt;
}

}  // namespace torchleak::lsp
