// `torchleak why`: what is believed at one line, with all that `check` of the project would know.
#pragma once

#include <cstdint>
#include <string>

#include "text/source.h"

namespace torchleak::driver {

// `source` is the file's content, `path` its absolute path. Looked at are the file, what it
// imports, and the files below `root` (or below the file's own project) that import it.
std::string Explain(const text::Source& source, const std::string& path, std::uint32_t row,
                    const std::string& root, unsigned jobs = 0);

}  // namespace torchleak::driver
