// Settings for people: valid TOML, with the origin of each value as a comment.
//
//   # Settings of train.py, from torchleak.toml
//   select = ["TLK1"]            # torchleak.toml:2:1
//   ignore = []                  # default
#pragma once

#include <string>
#include <string_view>

#include "config/options.h"
#include "config/settings.h"

namespace torchleak::config {

// All options. Those of the run (Scope::kRun) are taken from `run`, the settings of the working
// directory; what `settings` say of them is told apart. `of_what` stands in the first line; paths
// are shown relative to `root`.
std::string Listing(const Settings& settings, const Settings& run, std::string_view of_what,
                    std::string_view root);

// One option: what it means, what it may be, what it is and why.
std::string Explanation(const Option& option, const Settings& settings, const Settings& run);

}  // namespace torchleak::config
