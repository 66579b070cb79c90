// Changes the raw bytes of a Python file where its decoded text is changed: the way back of
// decode.h.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "text/result.h"
#include "text/source.h"

namespace torchleak::text {

// `content`, UTF-8, for a range of the decoded text (Source::bytes()). The range begins and ends
// between characters.
struct Replacement {
  Span span;
  std::string content;
};

// `raw` with the replacements made, in the encoding that it has; every other byte stays, invalid
// ones and a byte-order mark included. Replacements are sorted and do not overlap. Fails with the
// character that the encoding cannot hold, and when a range is outside of the text.
Result<std::string> ReplaceInRaw(std::string_view raw, std::span<const Replacement> replacements);

}  // namespace torchleak::text
