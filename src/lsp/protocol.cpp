#include "lsp/protocol.h"

#include <algorithm>
#include <utility>

namespace torchleak::lsp {
namespace {

template <typename T>
Json ListOf(const std::vector<T>& items) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(ToJson(item));
  return list;
}

}  // namespace

Json ToJson(const Position& position) {
  return {{"line", position.line}, {"character", position.character}};
}

Json ToJson(const Range& range) {
  return {{"start", ToJson(range.start)}, {"end", ToJson(range.end)}};
}

Json ToJson(const Location& location) {
  return {{"uri", location.uri}, {"range", ToJson(location.range)}};
}

Json ToJson(const Diagnostic& diagnostic, bool with_related) {
  Json json = {{"range", ToJson(diagnostic.range)},
               {"severity", static_cast<int>(diagnostic.severity)},
               {"source", diagnostic.source},
               {"message", diagnostic.message}};
  if (!diagnostic.code.empty()) json["code"] = diagnostic.code;
  if (!diagnostic.code_href.empty()) json["codeDescription"] = {{"href", diagnostic.code_href}};
  for (const DiagnosticTag tag : diagnostic.tags) json["tags"].push_back(static_cast<int>(tag));
  if (with_related) {
    for (const RelatedInformation& related : diagnostic.related) {
      json["relatedInformation"].push_back(
          {{"location", ToJson(related.location)}, {"message", related.message}});
    }
  }
  if (!diagnostic.data.is_null()) json["data"] = diagnostic.data;
  return json;
}

Json ToJson(const TextEdit& edit) {
  return {{"range", ToJson(edit.range)}, {"newText", edit.new_text}};
}

Json ToJson(const WorkspaceEdit& edit, EditForm form) {
  if (form == EditForm::kChanges) {
    Json changes = Json::object();
    for (const WorkspaceEdit::File& file : edit.files) changes[file.uri] = ListOf(file.edits);
    return {{"changes", std::move(changes)}};
  }
  Json changes = Json::array();
  for (const WorkspaceEdit::File& file : edit.files) {
    const Json version = file.version ? Json(*file.version) : Json(nullptr);
    changes.push_back({{"textDocument", {{"uri", file.uri}, {"version", version}}},
                       {"edits", ListOf(file.edits)}});
  }
  return {{"documentChanges", std::move(changes)}};
}

Json ToJson(const Command& command) {
  return {{"title", command.title}, {"command", command.command}, {"arguments", command.arguments}};
}

Json ToJson(const CodeAction& action, EditForm form) {
  Json json = {{"title", action.title}};
  if (!action.kind.empty()) json["kind"] = action.kind;
  if (!action.diagnostics.empty()) json["diagnostics"] = action.diagnostics;
  if (action.is_preferred) json["isPreferred"] = true;
  if (action.edit) json["edit"] = ToJson(*action.edit, form);
  if (action.command) json["command"] = ToJson(*action.command);
  if (!action.disabled_reason.empty()) json["disabled"] = {{"reason", action.disabled_reason}};
  if (!action.data.is_null()) json["data"] = action.data;
  return json;
}

Json ToJson(const Hover& hover, bool is_markdown) {
  Json json = {
      {"contents", {{"kind", is_markdown ? "markdown" : "plaintext"}, {"value", hover.markdown}}}};
  if (hover.range) json["range"] = ToJson(*hover.range);
  return json;
}

Position ReadPosition(const Fields& fields) {
  return {fields.Unsigned("line"), fields.Unsigned("character")};
}

Range ReadRange(const Fields& fields) {
  return {ReadPosition(fields.At("start")), ReadPosition(fields.At("end"))};
}

TextDocumentItem ReadTextDocumentItem(const Fields& fields) {
  return {fields.String("uri"), fields.String("languageId"), fields.String("text"),
          fields.Integer("version")};
}

std::vector<ContentChange> ReadContentChanges(const Fields& fields, std::string_view key) {
  std::vector<ContentChange> changes;
  const std::size_t count = fields.Array(key).size();
  for (std::size_t i = 0; i < count && !fields.error(); ++i) {
    const Fields element = fields.Element(key, i);
    ContentChange& change = changes.emplace_back();
    change.text = element.String("text");
    if (element.Has("range")) change.range = ReadRange(element.At("range"));
  }
  return changes;
}

NotebookCell ReadNotebookCell(const Fields& fields) {
  constexpr std::int64_t kCode = 2;
  NotebookCell cell;
  cell.is_code = fields.Integer("kind") == kCode;
  cell.document = fields.String("document");
  cell.metadata = fields.Any("metadata");
  return cell;
}

}  // namespace torchleak::lsp
