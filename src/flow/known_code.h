// Is all the code that runs here in sight? What nobody sees may differentiate whatever it is given.
#pragma once

#include "flow/world.h"

namespace torchleak::flow {

// The call runs code that is neither in the project nor in the stubs, and hands it something that
// could be differentiated. Calls of modules and of losses are taken to be what their names say.
bool RunsUnknownCode(const World& world, const FunctionResult& r, ValueId call);

// Some forward() in sight differentiates by itself, or leaves tensors on its module for later: then
// the same may be true of any module that is handed around.
bool ForwardsDoMore(const World& world);
// The same for the summary of one method.
bool DoesMore(const Summary& forward);

}  // namespace torchleak::flow
