// UnclearedList: a list on an object that takes one more tensor each step, and that nobody empties.
//
//   def validation_step(self, batch, batch_idx):
//       self.rows.append(self.net(batch).detach().cpu())      # made in __init__, and never cleared
//
// What accumulated-tensor, gpu-accumulation, tensor-on-module and the hook rules speak of is left
// to them: here are lists without a graph, on the host or wherever, and lists whose graph a
// backward() wants.
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

enum class Stepped : std::uint8_t {
  kNotSeen,
  kByFramework,  // training_step and its kin
  kByLoop,       // a loop over epochs, around the loop that calls it, while the object lives on
};

struct UnclearedListEvent : flow::EventBase {
  std::string what, where;  // source text: "err.detach().cpu()", "self.rows"
  Stepped stepped = Stepped::kNotSeen;
  bool needed = false;  // backward() walks what it holds
};

// Judged for the class whose method fills the list: what another class does with an attribute of
// the same name is its own business, while `x.rows.clear()` on an x that nobody knows counts.
std::vector<UnclearedListEvent> UnclearedLists(const Sight& sight);

}  // namespace torchleak::patterns
