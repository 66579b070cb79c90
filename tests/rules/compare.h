// Compare: what the markers of some files promise against what was found, told so that one sees
// what to do.
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
// For the files of a project, of which none may be left out.
std::vector<std::string> Compare(std::span<const text::Source> sources, const Markers& markers,
                                 std::span<const findings::Finding> found);

}  // namespace torchleak::tests
