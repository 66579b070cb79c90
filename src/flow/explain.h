// What the analyzer believed at one row, in words: the answer to "why this?" and "why not that?".
#pragma once

#include <string>

#include "flow/events.h"

namespace torchleak::flow {

std::string ExplainRow(const FileEvents& events, const text::Source& source, std::uint32_t row);

}  // namespace torchleak::flow
