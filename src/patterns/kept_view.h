// KeptView: a small view of a large tensor that is kept, and the whole of it with it.
//
//   for batch in loader:
//       features.append(encoder(batch)[:, 0])       # one position of 512; all 512 stay
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct KeptViewEvent : flow::EventBase {
  std::string what, where;  // source text: "out[:, 0]", "features"
  bool saved = false;       // written to a file, which takes the whole tensor
};

// Values without a graph that pile up, of which `[:, 0]` or `[:, -1]` of a tensor made in the same
// turn is kept as it is. What is moved, cloned or computed with is a tensor of its own. And
// torch.save(x[:10], path), which writes all of x.
std::vector<KeptViewEvent> KeptViews(const Sight& sight);

}  // namespace torchleak::patterns
