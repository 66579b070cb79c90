// LoadedWeights: a checkpoint that lies on the device beside the model.
//
//   checkpoint = torch.load(path)                        # no map_location
//   model.load_state_dict(checkpoint["model"])           # … these are weights
//   for batch in loader: …                               # … and still there while it trains
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

// torch.load of weights to where they were saved from, or explicitly onto a device.
struct LoadedWeights : flow::EventBase {
  enum class To : std::uint8_t { kWhereSaved, kDevice } to = To::kWhereSaved;
  bool kept = false;  // by a name that lives while a model is trained, or by an attribute
  std::string name;   // "checkpoint", "self.state"; empty when it is used at once
};

// Loads whose result goes into `load_state_dict` or is a checkpoint by its name. Not those to the
// host, of data, or of the small states of schedulers and scalers.
std::vector<LoadedWeights> LoadsOfWeights(const Sight& sight);

}  // namespace torchleak::patterns
