// GradSwitch: grad mode that is switched in vain, for good, or for somebody else.
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

// `torch.no_grad()` as a statement; `with torch.no_grad:`.
enum class BareForm : std::uint8_t { kStatement, kWithoutCall };
struct BareGradEvent : flow::EventBase {
  BareForm form = BareForm::kStatement;
  std::string what;  // "torch.no_grad()"
};
std::vector<BareGradEvent> BareGradSwitches(const Sight& sight);

// torch.set_grad_enabled(False) as a statement, and training follows with grad still off.
struct GradLeftOffEvent : flow::EventBase {
  bool here = false;  // the backward() is in the same function
};
std::vector<GradLeftOffEvent> GradLeftOff(const Sight& sight);

// A generator that yields inside its own `with torch.no_grad():`.
struct GradOffYieldEvent : flow::EventBase {
  bool trains = false;    // a loop over it, of this file, runs backward()
  bool consumed = false;  // some loop of this file is over it
};
std::vector<GradOffYieldEvent> GradOffYields(const Sight& sight);

}  // namespace torchleak::patterns
