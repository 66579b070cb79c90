// textDocument/codeAction: what can be done about the findings in a range.
//
//   quickfix                   the fix of a finding; preferred when it is safe
//   quickfix                   "Disable TLK101 for this line", "Show the page of TLK101 …"
//   source.fixAll.torchleak    all safe fixes of the document
//   notebook.source.fixAll.torchleak    the same, of all cells
//
// Edits go along at once: old clients resolve nothing. Only fixing all, which takes several
// analyses, is worked out when a client asks for this kind, or resolves it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "driver/suppression_pass.h"
#include "lsp/diagnostics.h"
#include "lsp/fix_all.h"
#include "lsp/operations/operations.h"

namespace torchleak::lsp {
namespace {

using findings::Finding;

constexpr std::string_view kQuickFix = "quickfix";
constexpr std::string_view kFixAll = "source.fixAll.torchleak";
constexpr std::string_view kFixAllNotebook = "notebook.source.fixAll.torchleak";
constexpr std::string_view kFixAllTitle = "Fix all torchleak findings that are safe to fix";

bool Before(const Position& a, const Position& b) { return a < b; }

bool Touches(const Range& a, const Range& b) {
  return !Before(a.end, b.start) && !Before(b.end, a.start);
}

// As the other entries of the menu: "Keep the number, not the tensor (unsafe)".
std::string TitleOf(const findings::Fix& fix) {
  std::string title = fix.message;
  if (!title.empty() && title[0] >= 'a' && title[0] <= 'z')
    title[0] = static_cast<char>(title[0] - 'a' + 'A');
  if (fix.applicability == findings::Applicability::kUnsafe) title += " (unsafe)";
  return title;
}

class Actions {
 public:
  Actions(Analysis& analysis, const Fields& fields) : analysis_(analysis) {
    uri_ = fields.At("textDocument").String("uri");
    range_ = ReadRange(fields.At("range"));
    const Fields context = fields.At("context");
    if (context.Has("only")) {
      for (const Json& kind : context.Array("only")) {
        if (kind.is_string()) only_.push_back(kind.get<std::string>());
      }
      is_narrowed_ = true;
    }
    if (context.Has("diagnostics")) shown_ = context.Array("diagnostics");
  }

  Answer Run() {
    const OpenFile file = analysis_.Current(uri_);
    if (file.workspace != nullptr && file.file == nullptr)
      return ResponseError{error_code::kContentModified, "the file is still being looked at"};
    if (!file) return out_;
    if (Wants(kQuickFix)) {
      for (const Finding& finding : file.file->result.findings) ForFinding(file, finding);
    }
    ForAll(file);
    return std::move(out_);
  }

 private:
  // `only` names a kind or one above it: "source" for "source.fixAll.torchleak".
  bool Names(std::string_view kind) const {
    return std::any_of(only_.begin(), only_.end(), [&](const std::string& only) {
      return kind.starts_with(only) &&
             (only.empty() || kind.size() == only.size() || kind[only.size()] == '.');
    });
  }
  bool Wants(std::string_view kind) const { return !is_narrowed_ || Names(kind); }

  void Add(const CodeAction& action) {
    out_.push_back(ToJson(action, EditFormOf(analysis_.server())));
  }

  void ForFinding(const OpenFile& file, const Finding& finding) {
    const auto placed = DiagnosticOf(analysis_, *file.workspace, finding);
    if (!placed || !Touches(placed->diagnostic.range, range_)) return;
    const TextDocument* document = analysis_.server().documents().Find(uri_);
    if (document == nullptr || placed->uri != document->uri()) return;
    const std::vector<Json> shown = Shown(placed->diagnostic);
    AddFix(file, finding, shown);
    AddDisable(file, finding, shown);
    CodeAction page;
    page.title = fmt::format("Show the page of {} {}", finding.code, finding.name);
    page.kind = kQuickFix;
    page.diagnostics = shown;
    page.command = Command{page.title, "torchleak.showRule", Json::array({finding.code})};
    Add(page);
  }

  // The client's own diagnostics that stand for it.
  std::vector<Json> Shown(const Diagnostic& diagnostic) const {
    std::vector<Json> shown;
    for (const Json& json : shown_) {
      const Fields fields(json, "diagnostic");
      const bool same = json.is_object() && json.contains("code") &&
                        json["code"] == diagnostic.code &&
                        ReadRange(fields.At("range")) == diagnostic.range;
      if (same) shown.push_back(json);
    }
    if (shown.empty()) shown.push_back(ToJson(diagnostic, ShowsRelated(analysis_.server())));
    return shown;
  }

  void AddFix(const OpenFile& file, const Finding& finding, const std::vector<Json>& shown) {
    if (!OffersFix(analysis_, file, finding)) return;
    const bool is_safe = finding.fix->applicability == findings::Applicability::kSafe;
    CodeAction action;
    action.title = TitleOf(*finding.fix);
    action.kind = kQuickFix;
    action.diagnostics = shown;
    action.is_preferred = is_safe;
    action.edit = EditOf(analysis_, *file.workspace, finding.location.path, finding.fix->edits);
    if (action.edit) Add(action);
  }

  void AddDisable(const OpenFile& file, const Finding& finding, const std::vector<Json>& shown) {
    const auto added = suppress::AddNoqa(file.parsed->source, file.parsed->tree,
                                         std::span(&finding, 1), driver::KnownRules());
    if (added.edits.empty()) return;
    CodeAction action;
    action.title = fmt::format("Disable {} for this line", finding.code);
    action.kind = kQuickFix;
    action.diagnostics = shown;
    action.edit = EditOf(analysis_, *file.workspace, finding.location.path, added.edits);
    if (action.edit) Add(action);
  }

  void ForAll(const OpenFile& file) {
    const auto& found = file.file->result.findings;
    const bool any = std::any_of(found.begin(), found.end(), [](const Finding& f) {
      return f.fix && f.fix->applicability == findings::Applicability::kSafe;
    });
    if (!any) return;
    const bool is_cell = analysis_.server().documents().NotebookOfCell(uri_) != nullptr;
    for (const std::string_view kind : {kFixAll, kFixAllNotebook}) {
      if ((kind == kFixAllNotebook) != is_cell && kind == kFixAllNotebook) continue;
      if (!Wants(kind)) continue;
      if (!Names(kind)) {
        // Nobody asked for it: it is shown where it can be resolved.
        if (kind == kFixAll && ResolvesEdits(analysis_.server())) AddLazily(kind);
        continue;
      }
      CodeAction action;
      action.title = kFixAllTitle;
      action.kind = kind;
      WorkspaceEdit fixed = FixAll(analysis_, uri_);
      if (kind == kFixAll && is_cell) KeepCell(&fixed);
      if (fixed.files.empty()) continue;
      action.edit = std::move(fixed);
      Add(action);
    }
  }

  void AddLazily(std::string_view kind) {
    CodeAction action;
    action.title = kFixAllTitle;
    action.kind = kind;
    action.data = {{"uri", uri_}};
    Add(action);
  }

  // "source.fixAll" of one cell changes that cell.
  void KeepCell(WorkspaceEdit* edit) const {
    const TextDocument* document = analysis_.server().documents().Find(uri_);
    std::erase_if(edit->files, [&](const WorkspaceEdit::File& file) {
      return document == nullptr || file.uri != document->uri();
    });
  }

  static bool ResolvesEdits(const Server& server) {
    const Json& capabilities = server.client_capabilities();
    const Json::json_pointer at("/textDocument/codeAction/resolveSupport/properties");
    if (!capabilities.contains(at) || !capabilities[at].is_array()) return false;
    const Json& properties = capabilities[at];
    return std::find(properties.begin(), properties.end(), "edit") != properties.end();
  }

  Analysis& analysis_;
  std::string uri_;
  Range range_;
  std::vector<std::string> only_;
  bool is_narrowed_ = false;
  Json shown_ = Json::array();
  Json out_ = Json::array();
};

Answer Resolve(Analysis& analysis, const Json& action) {
  if (!action.is_object()) return InvalidParams(text::Error{"params: expected an object"});
  Json out = action;
  const auto data = action.find("data");
  if (data == action.end() || !data->is_object() || out.contains("edit")) return out;
  const Fields fields(*data, "params.data");
  const std::string uri = fields.String("uri");
  if (auto error = fields.error()) return InvalidParams(*error);
  out["edit"] = ToJson(FixAll(analysis, uri), EditFormOf(analysis.server()));
  return out;
}

}  // namespace

void AddCodeAction(Analysis& analysis) {
  Server& server = analysis.server();
  server.capabilities()["codeActionProvider"] = {
      {"codeActionKinds", {kQuickFix, kFixAll, kFixAllNotebook}}, {"resolveProvider", true}};
  server.operations().OnRequest("textDocument/codeAction", [&analysis](Request& request) -> Answer {
    const Fields fields(request.params, "params");
    Actions actions(analysis, fields);
    if (auto error = fields.error()) return InvalidParams(*error);
    return actions.Run();
  });
  server.operations().OnRequest("codeAction/resolve", [&analysis](Request& request) {
    return Resolve(analysis, request.params);
  });
}

}  // namespace torchleak::lsp
