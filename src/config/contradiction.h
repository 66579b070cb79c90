// What one layer says against itself. Two layers may differ: the later one wins.
#pragma once

#include <optional>
#include <string>

#include "config/value.h"

namespace torchleak::config {

struct Contradiction {
  std::string key;  // the option to point at
  std::string message;
};

std::optional<Contradiction> FindContradiction(const Layer& layer);

}  // namespace torchleak::config
