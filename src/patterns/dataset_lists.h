// DatasetList: many Python objects on a dataset whose loader has workers.
#pragma once

#include <string>
#include <vector>

#include "patterns/loaders.h"

namespace torchleak::patterns {

struct DatasetListEvent : flow::EventBase {
  std::string where;  // "self.rows"
};

// Attributes that __init__ fills with one object for each line, record or file, and from which
// __getitem__ takes one by its index.
std::vector<DatasetListEvent> DatasetLists(const Sight& sight);

}  // namespace torchleak::patterns
