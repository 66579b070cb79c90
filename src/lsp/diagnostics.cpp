#include "lsp/diagnostics.h"

#include <algorithm>
#include <utility>

#include "report/report.h"
#include "suppress/suppressions.h"

namespace torchleak::lsp {
namespace {

using findings::Finding;

DiagnosticSeverity SeverityOf(findings::Severity severity) {
  switch (severity) {
    case findings::Severity::kError:
      return DiagnosticSeverity::kError;
    case findings::Severity::kWarning:
      return DiagnosticSeverity::kWarning;
    case findings::Severity::kNote:
      break;
  }
  return DiagnosticSeverity::kInformation;
}

// For clients that want to do something of their own with it.
Json DataOf(const Finding& finding) {
  Json data = {{"name", finding.name},
               {"fingerprint", finding.fingerprint},
               {"confidence", findings::Name(finding.confidence)}};
  if (finding.fix) {
    data["fix"] = {{"title", finding.fix->message},
                   {"applicability", findings::Name(finding.fix->applicability)}};
  }
  return data;
}

}  // namespace

std::optional<PlacedDiagnostic> DiagnosticOf(Analysis& analysis, Workspace& workspace,
                                             const Finding& finding) {
  const auto place = analysis.LocationOf(workspace, finding.location.path, finding.location.span);
  if (!place) return std::nullopt;
  Diagnostic diagnostic;
  diagnostic.range = place->range;
  diagnostic.severity = SeverityOf(finding.severity);
  diagnostic.code = finding.code;
  diagnostic.code_href = report::RuleUrl(finding.name);
  diagnostic.message = finding.message;
  if (finding.code == suppress::kUnusedCode) diagnostic.tags = {DiagnosticTag::kUnnecessary};
  for (const findings::Step& step : finding.flow) {
    auto at = analysis.LocationOf(workspace, step.location.path, step.location.span);
    if (at) diagnostic.related.push_back({*std::move(at), step.message});
  }
  diagnostic.data = DataOf(finding);
  return PlacedDiagnostic{place->uri, std::move(diagnostic)};
}

DiagnosticsByUri DiagnosticsOf(Analysis& analysis, Workspace& workspace, const std::string& path) {
  DiagnosticsByUri out;
  const driver::LiveProject::File* file = workspace.project().At(path);
  if (file == nullptr) return out;
  for (const Finding& finding : file->result.findings) {
    auto placed = DiagnosticOf(analysis, workspace, finding);
    if (placed) out[placed->uri].push_back(std::move(placed->diagnostic));
  }
  return out;
}

bool AddEdits(Analysis& analysis, Workspace& workspace, const std::string& path,
              std::span<const fix::Replacement> edits, WorkspaceEdit* out) {
  for (const fix::Replacement& edit : edits) {
    auto place = analysis.LocationOf(workspace, path, edit.span);
    if (!place) return false;
    auto file = std::find_if(out->files.begin(), out->files.end(),
                             [&](const WorkspaceEdit::File& f) { return f.uri == place->uri; });
    if (file == out->files.end()) {
      const TextDocument* document = analysis.server().documents().Find(place->uri);
      std::optional<std::int64_t> version;
      if (document != nullptr) version = document->version();
      file = out->files.insert(out->files.end(), {place->uri, version, {}});
    }
    file->edits.push_back({place->range, edit.content});
  }
  return true;
}

std::optional<WorkspaceEdit> EditOf(Analysis& analysis, Workspace& workspace,
                                    const std::string& path,
                                    std::span<const findings::Edit> edits) {
  std::map<std::string, fix::Edits> by_path;
  for (const findings::Edit& edit : edits) {
    const std::string& of = edit.location.path.empty() ? path : edit.location.path;
    by_path[of].push_back({edit.location.span, edit.content});
  }
  WorkspaceEdit out;
  for (auto& [of, of_file] : by_path) {
    const text::Source* source =
        workspace.project().SourceOf(driver::AbsolutePath(of, workspace.root()));
    if (source == nullptr) return std::nullopt;
    // With the line ends of the place, and no more than what differs.
    const auto normalized = fix::Normalized(source->bytes(), std::move(of_file));
    if (!normalized || !AddEdits(analysis, workspace, of, *normalized, &out)) return std::nullopt;
  }
  return out;
}

bool OffersFix(const Analysis& analysis, const OpenFile& file, const Finding& finding) {
  if (!finding.fix || finding.fix->edits.empty()) return false;
  const bool is_safe = finding.fix->applicability == findings::Applicability::kSafe;
  const config::SettingsPtr& settings = file.file->item.settings;
  if (settings != nullptr && !settings->MayFix(finding.code)) return false;
  return is_safe || analysis.settings().unsafe_fixes;
}

bool ShowsRelated(const Server& server) {
  return server.ClientCan("textDocument/publishDiagnostics/relatedInformation") ||
         server.ClientCan("textDocument/diagnostic/relatedInformation");
}

EditForm EditFormOf(const Server& server) {
  return server.ClientCan("workspace/workspaceEdit/documentChanges") ? EditForm::kDocumentChanges
                                                                     : EditForm::kChanges;
}

}  // namespace torchleak::lsp
