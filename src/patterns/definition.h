// Where a value comes from, as far as the order of the text tells: the walk that several themes of
// this layer make backwards through plain variables.
#pragma once

#include "flow/result.h"

namespace torchleak::patterns {

// Of a load of a variable or an attribute path, what the nearest store above it put there; any
// other value is its own definition, and so is a load with no store above it: a parameter. Looks
// back at most kMaxLookBack instructions for each variable it goes through.
//
//   y = x.exp()        # Definition of `y` in the last line: the call x.exp()
//   z = y
//   ctx.y = z
flow::ValueId Definition(const flow::Body& body, flow::ValueId value);
inline constexpr std::uint32_t kMaxLookBack = 1500;

// The parameter that a load reads when nothing above it rebinds the name; kNoKey for other values.
std::uint32_t ParameterOf(const sema::Module& module, const flow::Body& body, flow::ValueId value);

}  // namespace torchleak::patterns
