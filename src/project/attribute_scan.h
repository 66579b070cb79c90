// AttributeScan: the attribute chains that start at some names, `np.random.rand` for "np", found in
// the code of a file without parsing it. Strings and comments are left out, docstrings being full
// of such chains.
#pragma once

#include <string_view>
#include <vector>

#include "project/string_hash.h"

namespace torchleak::project {

// Each chain once, in the order of the file; views into `bytes`. More than kMaxChains are cut.
std::vector<std::string_view> ScanAttributes(std::string_view bytes, const StringSet& names);
inline constexpr std::size_t kMaxChains = 1000;

}  // namespace torchleak::project
