// The function around a place, as findings name it, from the tree alone.
#pragma once

#include <cstdint>
#include <string>

#include "syntax/tree.h"

namespace torchleak::suppress {

// "Trainer.fit", "train.<locals>.hook", "<module>": like sema::Module::DisplayName.
std::string EnclosingFunction(const syntax::Tree& tree, std::uint32_t offset);

}  // namespace torchleak::suppress
