#include "lsp/operations/operations.h"

namespace torchleak::lsp {

void AddAll(Analysis& analysis) {
  Server& server = analysis.server();
  AddTextSync(server.operations());
  AddNotebookSync(server.operations());
  AddConfiguration(analysis);  // before folders are opened with it
  AddWorkspaceFolders(analysis);
  AddWatchedFiles(analysis);
  AddPublishDiagnostics(analysis);
  AddPullDiagnostics(analysis);
  AddCodeAction(analysis);
  AddHover(analysis);
  AddExecuteCommand(analysis);
  server.SetWork([&analysis] { return analysis.Work(); });
}

}  // namespace torchleak::lsp
