// BuildFact: the Fact that one function or method of a stub declares.
#pragma once

#include <string>
#include <vector>

#include "facts/compiler/stub.h"
#include "facts/facts.h"

namespace torchleak::facts::stubs {

// For a method the first parameter is the receiver and positions count from the one after it.
Fact BuildFact(const Function& function, bool is_method, const std::string& path,
               std::vector<Error>* errors);

}  // namespace torchleak::facts::stubs
