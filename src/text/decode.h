// Decodes the raw bytes of a Python file to UTF-8, the way Python itself would read them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "text/result.h"

namespace torchleak::text {

// A byte-order mark is dropped; the coding line (PEP 263) of the first two lines is followed for
// UTF-8, ASCII, Latin-1, Latin-9 and cp1252. Bytes that are not valid UTF-8 become U+FFFD, one
// for each maximal broken sequence. Fails on NUL bytes, UTF-16, UTF-32 and other encodings; a file
// of ASCII bytes alone is accepted whatever its coding line says. `path` is for the message.
Result<std::string> DecodePython(std::string_view path, std::string raw);

// The same for UTF-8 text: a mark is dropped, and it fails on NUL bytes.
Result<std::string> CheckPython(std::string_view path, std::string utf8);

// The text with each maximal broken sequence replaced by U+FFFD.
std::string ReplaceInvalid(std::string raw);

// The offset of the first byte that is not valid UTF-8, or the size.
std::size_t FirstInvalidUtf8(std::string_view bytes);

// The encoding that a coding line in the first two lines names, as written; empty without one.
std::string_view DeclaredEncoding(std::string_view bytes);

}  // namespace torchleak::text
