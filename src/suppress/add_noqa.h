// AddNoqa: a comment for every line with a finding, for `--add-noqa`.
//
//   losses.append(loss)              ->   losses.append(loss)  # noqa: TLK101
//   losses.append(loss)  # noqa: E1  ->   losses.append(loss)  # noqa: E1, TLK101
//
// One comment for each logical line, on the row of its first finding or, where a comment is not
// possible (inside a string, behind a backslash), on the next on which it is. Once the edits are
// made, the findings are silenced: asking again adds nothing.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "findings/finding.h"
#include "suppress/comment.h"
#include "syntax/tree.h"
#include "text/source.h"

namespace torchleak::suppress {

struct AddedNoqa {
  std::vector<findings::Edit> edits;  // insertions, in order; one for each comment
  std::size_t skipped = 0;            // findings that no comment on a line can silence
};

// `found` are the findings of this file that nothing silences yet. Left out are those about
// suppressions, and what does not parse: there nobody knows where a comment is one. `reason` is put
// behind new comments; it must not hold a line break.
AddedNoqa AddNoqa(const text::Source& source, const syntax::Tree& tree,
                  std::span<const findings::Finding> found, std::span<const KnownRule> rules,
                  std::string_view reason = {});

}  // namespace torchleak::suppress
