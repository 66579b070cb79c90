// LineHashes: the `primaryLocationLineHash` that GitHub code scanning computes for each line of a
// file.
//
// GitHub tells alerts apart by it, and computes it itself when a report has none; reports that
// carry the same value keep their alerts whichever way they are uploaded. Inner to this layer.
//
//   LineHashes("x = 1\nx = 1\n")[0]  // of row 1: 16 hex digits at most, a colon, the occurrence
//   from 1
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torchleak::report {

// By row - 1. `text` is UTF-8. Known limit: GitHub hashes the bytes on disk, so a byte-order mark
// (first row) and characters outside ASCII of a file that is not UTF-8 give other values there.
std::vector<std::string> LineHashes(std::string_view text);

}  // namespace torchleak::report
