// Configuration files as bytes, and messages that point into them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/document.h"
#include "text/result.h"

namespace torchleak::config {

struct File {
  std::string path;     // absolute
  std::string display;  // as messages call it: relative to the working directory when below it
  std::string folder;   // absolute: what its patterns and paths are relative to
  std::string bytes;    // without a byte-order mark; UTF-8 unless EncodingProblem() tells
};

// Nothing when there is no such file. Fails when it is no regular file (given by hand, pipes are
// good as well), too large or not readable.
text::Result<std::optional<File>> ReadConfigFile(const std::string& path, std::string_view root,
                                                 bool given_by_hand);

// Larger than any that was written by hand: the largest pyproject.toml known to us has 60 kB.
inline constexpr std::size_t kMaxConfigBytes = std::size_t{1} << 20;

// "is UTF-16; save it as UTF-8", or empty. (A pyproject.toml of others may be what it likes.)
std::string EncodingProblem(std::string_view bytes);

// "torchleak.toml:3:1: message", and the row with a caret under the place.
text::Error ErrorAt(const File& file, const Place& place, std::string_view message);

// Relative to the working directory when below it; fit for a terminal.
std::string DisplayName(std::string_view absolute, std::string_view root);

}  // namespace torchleak::config
