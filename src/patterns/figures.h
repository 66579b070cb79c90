// Figures of pyplot that are made again and again and never closed: pyplot keeps them all.
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct FigureEvent : flow::EventBase {
  std::string call;  // "plt.figure"
};

// Figures that are saved or logged. Not where one is shown, closed, returned, handed to a function
// that may close it, or taken up again by its number.
std::vector<FigureEvent> OpenFigures(const Sight& sight);

}  // namespace torchleak::patterns
