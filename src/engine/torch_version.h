// TorchVersion: which torch a file must run with, where a rule's claim holds for some only.
#pragma once

#include <compare>

namespace torchleak::engine {

struct TorchVersion {
  unsigned major = 0, minor = 0;
  auto operator<=>(const TorchVersion&) const = default;
};

}  // namespace torchleak::engine
