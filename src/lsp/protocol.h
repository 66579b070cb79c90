// Types of LSP that the server uses, as plain data. ToJson() for those that are sent, Read…() for
// those that come; neither throws.
//
//   Json params = {{"uri", uri}, {"diagnostics", ToJson(diagnostics)}};
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/fields.h"
#include "lsp/json_rpc.h"

namespace torchleak::lsp {

struct Position {
  std::uint32_t line = 0;       // from 0
  std::uint32_t character = 0;  // in units of the agreed encoding
  auto operator<=>(const Position&) const = default;
};

struct Range {
  Position start, end;  // half-open
  bool operator==(const Range&) const = default;
};

struct Location {
  std::string uri;
  Range range;
};

enum class DiagnosticSeverity { kError = 1, kWarning = 2, kInformation = 3, kHint = 4 };
enum class DiagnosticTag { kUnnecessary = 1, kDeprecated = 2 };

struct RelatedInformation {
  Location location;
  std::string message;
};

struct Diagnostic {
  Range range;
  DiagnosticSeverity severity = DiagnosticSeverity::kWarning;
  std::string code, code_href;  // the second may be empty
  std::string source = "torchleak";
  std::string message;
  std::vector<DiagnosticTag> tags;
  std::vector<RelatedInformation> related;
  Json data = nullptr;  // null: left out
};

struct TextEdit {
  Range range;
  std::string new_text;
};

struct WorkspaceEdit {
  struct File {
    std::string uri;
    std::optional<std::int64_t> version;  // of an open document
    std::vector<TextEdit> edits;
  };
  std::vector<File> files;
};

struct Command {
  std::string title, command;
  Json arguments = Json::array();
};

struct CodeAction {
  std::string title, kind;
  std::vector<Json> diagnostics;  // as the client sent them
  bool is_preferred = false;
  std::optional<WorkspaceEdit> edit;
  std::optional<Command> command;
  std::string disabled_reason;  // empty: it can be done
  Json data = nullptr;
};

struct Hover {
  std::string markdown;
  std::optional<Range> range;
};

// How a client wants a WorkspaceEdit: `documentChanges` carry versions, older clients know
// `changes` alone (a map from URIs to edits).
enum class EditForm { kChanges, kDocumentChanges };

Json ToJson(const Position& position);
Json ToJson(const Range& range);
Json ToJson(const Location& location);
Json ToJson(const Diagnostic& diagnostic, bool with_related = true);
Json ToJson(const TextEdit& edit);
Json ToJson(const WorkspaceEdit& edit, EditForm form);
Json ToJson(const Command& command);
Json ToJson(const CodeAction& action, EditForm form);
// `is_markdown`: false for clients that show plain text only.
Json ToJson(const Hover& hover, bool is_markdown = true);

Position ReadPosition(const Fields& fields);
Range ReadRange(const Fields& fields);  // of {"start", "end"}

struct TextDocumentItem {
  std::string uri, language_id, text;
  std::int64_t version = 0;
};
TextDocumentItem ReadTextDocumentItem(const Fields& fields);

// One step of textDocument/didChange. Without a range: the whole text.
struct ContentChange {
  std::optional<Range> range;
  std::string text;
};
// The elements of the array under `key`.
std::vector<ContentChange> ReadContentChanges(const Fields& fields, std::string_view key);

struct NotebookCell {
  bool is_code = true;
  std::string document;  // URI of its text document
  Json metadata = nullptr;
};
NotebookCell ReadNotebookCell(const Fields& fields);

}  // namespace torchleak::lsp
