// MadeOf: is a value made of another one, graph and all, by the code alone?
//
// For values of which the flow layer knows nothing: what an unknown `G(z)` gives, handed on through
// variables, tuples, arithmetic and calls of torch that keep a graph.
#pragma once

#include "patterns/sight.h"

namespace torchleak::patterns {

bool MadeOf(const Sight& sight, const flow::FunctionResult& r, flow::ValueId value,
            flow::ValueId part);

}  // namespace torchleak::patterns
