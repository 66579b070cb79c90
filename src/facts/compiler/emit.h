// Emit: the linked stubs as one C++ file that defines table::kTables.
#pragma once

#include <string>

#include "facts/compiler/link.h"

namespace torchleak::facts::stubs {

std::string Emit(const Linked& linked);

}  // namespace torchleak::facts::stubs
