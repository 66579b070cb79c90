// Is all the code that runs here in sight? What nobody sees may differentiate whatever it is given.
#pragma once

#include "flow/world.h"

namespace torchleak::flow {

// The call runs code that is neither in the project nor in the stubs, and hands it something that
// could be differentiated. Calls of modules and of losses are taken to be what their names say.
bool RunsUnknownCode(const World& world, const FunctionResult& r, ValueId call);

// Some forward(), generator or __iter__ in sight differentiates by itself, or leaves tensors with a
// graph on its object: then the same may be true of any module or loader that is handed around.
bool ForwardsDoMore(const World& world);

}  // namespace torchleak::flow
