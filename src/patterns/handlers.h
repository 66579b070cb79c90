// What an `except` clause catches, for the themes about handlers.
#pragma once

#include <string_view>

#include "patterns/sight.h"

namespace torchleak::patterns {

// The types after `except`, without the block: "(RuntimeError, ValueError) as e"; ":" when bare.
std::string_view Caught(const Sight& sight, syntax::NodeId clause);
// Any error of a computation may be caught there, with its frames. Not so for ImportError, KeyError
// and the like.
bool MayHoldTensors(std::string_view caught);
// `except RuntimeError as e`, for a step of a path.
text::Span HandlerHeader(const Sight& sight, syntax::NodeId clause);

}  // namespace torchleak::patterns
