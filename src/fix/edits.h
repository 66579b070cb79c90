// Edits of one text: brought into one form, applied, and where a place is afterwards.
//
//   auto edits = Normalized(source.bytes(), raw_edits);   // sorted, minimal, line ends of the file
//   std::string after = Applied(source.bytes(), *edits);
//   std::uint32_t there = MovedOffset(120, *edits);
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/encode.h"
#include "text/result.h"

namespace torchleak::fix {

using text::Replacement;
using Edits = std::vector<Replacement>;

// Sorted; "\n" in the content is the line end that the edited place uses; what an
// edit leaves the same at its ends is not part of it, so that `loss` -> `loss.item()` is an
// insertion. Characters and \r\n are never split. Fails when an edit is outside of the text or two
// overlap.
text::Result<Edits> Normalized(std::string_view text, Edits edits);

// `edits` as Normalized() gives them, here and below.
std::string Applied(std::string_view text, std::span<const Replacement> edits);

// Where the character at `offset` is afterwards. One that is replaced: the place that replaces it.
std::uint32_t MovedOffset(std::uint32_t offset, std::span<const Replacement> edits);

}  // namespace torchleak::fix
