#include "report/utf8.h"

namespace torchleak::report {

char32_t NextCodePoint(std::string_view text, std::size_t* at) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const std::size_t start = (*at)++;
  const char32_t first = byte(start);
  if (first < 0x80) return first;
  const unsigned length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return kReplacement;
  char32_t code = first & (0xFFu >> (length + 1));
  for (unsigned i = 1; i < length; ++i) {
    if ((byte(start + i) & 0xC0u) != 0x80u) return kReplacement;
    code = (code << 6) | (byte(start + i) & 0x3Fu);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  if (overlong || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return kReplacement;
  *at = start + length;
  return code;
}

void AppendUtf8(std::string* out, char32_t code) {
  const auto put = [out](char32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

}  // namespace torchleak::report
