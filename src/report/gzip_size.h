// GzipSize: how large a text is once compressed, without a compressor to link. Inner to this layer.
#pragma once

#include <cstddef>
#include <string_view>

namespace torchleak::report {

// Slightly above what gzip -6 makes of text with much repetition, such as reports: its matcher
// looks at one earlier place where zlib looks at 128, and a margin covers the codes' rounding.
// 150 MB/s; memory for 32,768 positions.
std::size_t GzipSize(std::string_view text);

}  // namespace torchleak::report
