// FixAll: all fixes of one document at once, each of them checked as `--fix` does.
#pragma once

#include <string_view>

#include "lsp/analysis.h"
#include "lsp/protocol.h"

namespace torchleak::lsp {

// Safe fixes only, of this document; of a notebook of all its cells. Without files when nothing is
// to be fixed, or the document is not analysed.
WorkspaceEdit FixAll(Analysis& analysis, std::string_view uri);

}  // namespace torchleak::lsp
