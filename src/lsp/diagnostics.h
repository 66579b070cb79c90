// Findings as diagnostics of the protocol.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "findings/finding.h"
#include "fix/edits.h"
#include "lsp/analysis.h"
#include "lsp/protocol.h"

namespace torchleak::lsp {

// By URI of the document that shows them: the file's own, or those of a notebook's cells. Each
// document of the file is there, with none if need be. Empty when the file is not known.
using DiagnosticsByUri = std::map<std::string, std::vector<Diagnostic>>;
DiagnosticsByUri DiagnosticsOf(Analysis& analysis, Workspace& workspace, const std::string& path);

// One finding; nothing when its file cannot be read any more.
struct PlacedDiagnostic {
  std::string uri;
  Diagnostic diagnostic;
};
std::optional<PlacedDiagnostic> DiagnosticOf(Analysis& analysis, Workspace& workspace,
                                             const findings::Finding& finding);

// The edits of a finding's fix, say; those without a path are of `path`. Nothing when one of them
// cannot be placed.
std::optional<WorkspaceEdit> EditOf(Analysis& analysis, Workspace& workspace,
                                    const std::string& path, std::span<const findings::Edit> edits);
// Edits of one file, as fix::Normalized() gives them; false when one cannot be placed.
bool AddEdits(Analysis& analysis, Workspace& workspace, const std::string& path,
              std::span<const fix::Replacement> edits, WorkspaceEdit* out);

// Is the finding's fix one that the user wants to see?
bool OffersFix(const Analysis& analysis, const OpenFile& file, const findings::Finding& finding);

// `relatedInformation` is for clients that announce it.
bool ShowsRelated(const Server& server);
EditForm EditFormOf(const Server& server);

}  // namespace torchleak::lsp
