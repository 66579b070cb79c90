// GzipSize: how large a text is once compressed, without a compressor to link. Inner to this layer.
#pragma once

#include <cstddef>
#include <string_view>

namespace torchleak::report {

// Above what gzip -6 makes of it, by 10 to 30 % for reports: the matcher looks at fewer places than
// zlib's and never waits for a better match, and a margin covers the codes' rounding. 50 MB/s and
// more; memory for the places in a window of 32 KiB.
std::size_t GzipSize(std::string_view text);

}  // namespace torchleak::report
