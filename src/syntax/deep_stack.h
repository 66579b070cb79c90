// RunWithStack: runs a function on a thread that has as much stack as it may need.
#pragma once

#include <cstddef>

namespace torchleak::syntax {

// Calls `work(argument)` on a thread of `stack_size` bytes, and returns when it has ended. Only the
// part of the stack that is used costs memory. False when there is no such thread to be had; the
// work has not been done then.
bool RunWithStack(std::size_t stack_size, void (*work)(void*), void* argument);

}  // namespace torchleak::syntax
