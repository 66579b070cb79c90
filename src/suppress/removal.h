// Removal: takes words, or whole directives, out of comments and leaves the rest as it was.
//
//   x = f()  # type: ignore  # noqa: TLK101, E501      minus TLK101: `# noqa: E501`
//   x = f()  # noqa: TLK101                            minus TLK101: `x = f()`
//   # torchleak: ignore-file[TLK101] reason            minus TLK101: the line is gone
#pragma once

#include <cstddef>
#include <vector>

#include "findings/finding.h"
#include "suppress/comment.h"
#include "text/source.h"

namespace torchleak::suppress {

// The cell of a notebook around the offset; of other files all.
text::Span CellOf(const text::Source& source, std::uint32_t offset);

// Is there nothing but white space in front of the comment on its row?
bool IsOwnLine(const text::Source& source, text::Span comment);

// Edits that take out the words with these indexes, at least one. The directive goes with its last
// word, its reason with it; a comment that holds nothing else with its directive.
std::vector<findings::Edit> Remove(const text::Source& source, const Directive& directive,
                                   const std::vector<std::size_t>& words);

}  // namespace torchleak::suppress
