// One function for each file of this folder: it adds the handlers of its methods.
#pragma once

#include "lsp/operation.h"

namespace torchleak::lsp {

// textDocument/didOpen, didChange, didSave, didClose.
void AddTextSync(Operations& operations);
// notebookDocument/didOpen, didChange, didSave, didClose.
void AddNotebookSync(Operations& operations);

}  // namespace torchleak::lsp
