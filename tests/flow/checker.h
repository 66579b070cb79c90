// Expectations of one block against what the engine believes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace torchleak::tests {

// One text for each expectation that does not hold, gap that is closed, or comment that says
// nothing; `row` is the page's row of the block's first line.
std::vector<std::string> CheckBlock(std::string_view page, std::size_t row,
                                    const std::string& code);

}  // namespace torchleak::tests
