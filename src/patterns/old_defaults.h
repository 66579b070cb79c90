// OldDefaults: what only old versions of torch do otherwise. Rules ask for it when the file must
// run with one of these.
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

// `@torch.no_grad` without parentheses: before torch 2.0 the function becomes the argument of a
// class that takes none.
struct BareDecoratorEvent : flow::EventBase {
  std::string what;  // "torch.no_grad"
};
std::vector<BareDecoratorEvent> BareDecorators(const Sight& sight);

// optimizer.zero_grad() without set_to_none: before torch 2.0 it fills gradients with zeros.
struct ClearByDefaultEvent : flow::EventBase {};
std::vector<ClearByDefaultEvent> ClearsByDefault(const Sight& sight);

}  // namespace torchleak::patterns
