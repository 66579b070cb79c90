// A configuration file with those that it extends.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/value.h"
#include "text/result.h"

namespace torchleak::config {

struct Chain {
  std::vector<Layer> layers;       // what is extended comes first
  std::vector<std::string> files;  // absolute, the other way round
  // Files of the same folder that hold settings as well, and are not read.
  std::vector<std::string> shadowed;
};

// The file of one folder: `.torchleak.toml`, else `torchleak.toml`, else `[tool.torchleak]` of
// `pyproject.toml`; nothing when none is there.
text::Result<std::optional<Chain>> ChainOfFolder(const std::string& folder, std::string_view root);

// A file by its path; of a pyproject.toml its section. Fails when it is missing.
text::Result<Chain> ChainOfFile(const std::string& path, std::string_view root);

}  // namespace torchleak::config
