// The rules' pages, embedded by cmake/EmbedPages.cmake when the project is built, so that
// `torchleak rule` needs no files beside the binary.
#pragma once

#include <string_view>

namespace torchleak::rules {

// The text of rules/<folder>/rule.md; empty when there is none. Example: Page("eval-with-grad").
// The bytes live as long as the program.
std::string_view Page(std::string_view rule_folder_name);

}  // namespace torchleak::rules
