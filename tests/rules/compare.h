// Compare: what a file's markers promise against what was found, told so that one sees what to do.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "findings/finding.h"
#include "markers.h"
#include "text/source.h"

namespace torchleak::tests {

// Empty when all is as promised. Each text names the place, shows the line with both underlines,
// and for an unexpected finding the marker lines that would describe it.
std::vector<std::string> Compare(const text::Source& source, const Markers& markers,
                                 std::span<const findings::Finding> found);

}  // namespace torchleak::tests
