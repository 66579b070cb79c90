// Is anything trained in this file? A script that trains nothing tries a model, serves one, or
// converts its files.
#pragma once

#include "flow/world.h"

namespace torchleak::patterns {

// Some function runs backward() or steps an optimizer.
bool Trains(const flow::World& world);

}  // namespace torchleak::patterns
