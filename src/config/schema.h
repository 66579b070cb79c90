// The JSON schema (draft-07) of configuration files, made from the table of options.
#pragma once

#include <string>

namespace torchleak::config {

std::string JsonSchema();  // ends with a line end

}  // namespace torchleak::config
