// One function for each file of this folder: it adds the handlers of its methods.
#pragma once

#include "lsp/analysis.h"
#include "lsp/operation.h"

namespace torchleak::lsp {

// textDocument/didOpen, didChange, didSave, didClose.
void AddTextSync(Operations& operations);
// notebookDocument/didOpen, didChange, didSave, didClose.
void AddNotebookSync(Operations& operations);

// textDocument/publishDiagnostics, for clients that do not pull.
void AddPublishDiagnostics(Analysis& analysis);
// textDocument/diagnostic, workspace/diagnostic, workspace/diagnostic/refresh.
void AddPullDiagnostics(Analysis& analysis);
// textDocument/codeAction, codeAction/resolve.
void AddCodeAction(Analysis& analysis);
// textDocument/hover.
void AddHover(Analysis& analysis);
// workspace/executeCommand, workspace/applyEdit, window/showDocument.
void AddExecuteCommand(Analysis& analysis);
// initializationOptions, workspace/didChangeConfiguration, workspace/configuration.
void AddConfiguration(Analysis& analysis);
// workspaceFolders of `initialize`, workspace/didChangeWorkspaceFolders.
void AddWorkspaceFolders(Analysis& analysis);
// workspace/didChangeWatchedFiles, client/registerCapability.
void AddWatchedFiles(Analysis& analysis);

// All of them, and the work of `analysis` as that of its server.
void AddAll(Analysis& analysis);

// The client asks for diagnostics; it must not be sent them as well, or shows them twice.
bool PullsDiagnostics(const Server& server);

}  // namespace torchleak::lsp
