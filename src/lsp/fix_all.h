// FixAll: all fixes of one document at once, each of them checked as `--fix` does.
#pragma once

#include <cstddef>
#include <string_view>

#include "lsp/analysis.h"
#include "lsp/protocol.h"

namespace torchleak::lsp {

struct FixedDocument {
  WorkspaceEdit edit;     // of this document; of a notebook all its cells
  std::size_t fixed = 0;  // findings
};

// Safe fixes only. Nothing is fixed when the document is not analysed.
FixedDocument FixAll(Analysis& analysis, std::string_view uri);

}  // namespace torchleak::lsp
