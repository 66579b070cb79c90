// docs/configuration.md: the part of it that tells of every option, from the table of options.
#pragma once

#include <string>
#include <string_view>

namespace torchleak::tests {

// A table of all options, then a section for each.
std::string OptionsPart();

// `page` with `part` between its two marks; `page` itself when it has none.
std::string WithOptions(std::string_view page, std::string_view part);

}  // namespace torchleak::tests
