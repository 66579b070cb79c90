// What a hover says of a finding: what it is, what is known of the values, the way that leads
// there, and what to write instead.
#pragma once

#include "findings/finding.h"
#include "findings/suppressed.h"
#include "lsp/analysis.h"
#include "lsp/hover_text.h"

namespace torchleak::lsp {

void TellFinding(Analysis& analysis, const OpenFile& file, const findings::Finding& finding,
                 HoverText* out);
// That it is silenced, and by which comment.
void TellSuppressed(Analysis& analysis, const OpenFile& file,
                    const findings::Suppressed& suppressed, HoverText* out);

}  // namespace torchleak::lsp
