// Layers put together, option by option.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "config/value.h"

namespace torchleak::config {

// The strongest layer that speaks of the option, or null.
const Layer* LastWith(std::span<const Layer> layers, std::string_view key);

// Every option with what holds and where that was said.
std::vector<Shown> ShownOptions(std::span<const Layer> layers);

// `path` as an absolute, normal path below `folder`; `~/` is the home of the user.
std::string AbsoluteIn(std::string_view folder, std::string_view path);

}  // namespace torchleak::config
