// Is d[key] = value one more entry in each turn of a loop, or the same few again and again?
//
//   for step, batch in enumerate(loader):
//     latest["loss"] = loss                       # one
//     for name, value in losses.items():
//       latest[name] = value                      # as many as there are names, whatever the batch
//     history[f"{prefix}/{step}"] = loss          # one more each time
#pragma once

#include <cstdint>

#include "flow/ir.h"

namespace torchleak::flow {

// True also for what nobody can tell. `loop` is kNoLoop when it is a function that runs again and
// again; then `params` receives the parameters that the key is made of, which callers judge.
bool KeyVaries(const sema::Module& module, const Body& body, ValueId key, LoopId loop,
               std::uint64_t* params);

}  // namespace torchleak::flow
