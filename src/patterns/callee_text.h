// What a callee calls its own, in the words of the caller.
#pragma once

#include <string>

#include "patterns/sight.h"

namespace torchleak::patterns {

// `self.net` of a method called as `trainer.step()` is "trainer.net"; `model` of `evaluate(m)` is
// "m"; a global stays what it is. Empty when the caller has no name for it.
std::string CalleeText(const Sight& sight, const flow::FunctionResult& r, const flow::Call& call,
                       sema::FunctionId callee, const flow::Sink& sink);

}  // namespace torchleak::patterns
