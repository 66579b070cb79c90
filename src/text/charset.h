// Charsets of Python files: one byte or one sequence at a time. Inner to this layer; decoding
// (decode.h) and writing back (encode.h) share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace torchleak::text {

enum class Charset { kUtf8, kLatin1, kLatin9, kCp1252, kUnsupported };

// Of the name in a coding line, as Python normalizes it; kUtf8 for ASCII and for no name.
Charset CharsetNamed(std::string_view name);

char32_t FromSingleByte(Charset charset, std::uint8_t byte);
// The byte for that character; none when the charset has no such character.
std::optional<char> ToSingleByte(Charset charset, char32_t c);

void AppendUtf8(std::string& out, char32_t c);

// First offset at or after `i` that is not ASCII, or the size.
std::size_t SkipAscii(std::string_view text, std::size_t i);

struct Sequence {
  std::size_t length;  // at least 1: of the code point, or of the maximal broken part
  bool valid;
};

// The sequence at `i`, whose first byte is not ASCII (Unicode standard, table 3-7).
Sequence NextSequence(std::string_view text, std::size_t i);

// The code point of a valid sequence.
char32_t CodePoint(std::string_view sequence);

}  // namespace torchleak::text
