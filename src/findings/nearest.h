// Nearest: "did you mean" for rule names, format names, configuration keys.
//
//   Nearest("jsn", {"full", "json", "sarif"}) == "json"
#pragma once

#include <span>
#include <string_view>

namespace torchleak::findings {

// The candidate with the smallest edit distance (insert, delete, replace, swap of neighbours;
// letter case is free), the first of equals. Empty when none is near: more than a third of the
// letters of the longer word would have to change. Time is the product of the lengths, words above
// 64 bytes match nothing.
std::string_view Nearest(std::string_view misspelt, std::span<const std::string_view> candidates);

}  // namespace torchleak::findings
