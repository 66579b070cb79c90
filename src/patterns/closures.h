// Closures: functions that are kept for later, with what they hold.
//
//   figure.connect("key", lambda e: draw(volume))    # KeptClosure: `volume` lives as long
//   self.step = lambda x: self.rhs(x)                # SelfCycle: waits for the garbage collector
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

// A function with a tensor of the function around it, handed to something that keeps it, again
// and again.
struct KeptClosure : flow::EventBase {
  std::string tensor, into;
};
std::vector<KeptClosure> KeptClosures(const Sight& sight);

// An attribute of an object that refers to the object.
struct SelfCycle : flow::EventBase {
  std::string attribute;
  bool bound_method = false;  // else a function that captures `self`
};
std::vector<SelfCycle> SelfCycles(const Sight& sight);

}  // namespace torchleak::patterns
