// Python's names and blanks, byte by byte.
#pragma once

#include <cstddef>
#include <string_view>

namespace torchleak::project {

// Every byte above ASCII counts: what it spells is not this layer's business.
inline bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
inline bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\f'; }
inline bool IsLineEnd(char c) { return c == '\n' || c == '\r'; }

inline std::string_view SkipBlanks(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && IsBlank(text[i])) ++i;
  return text.substr(i);
}
inline std::string_view FirstName(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && IsNameByte(text[i])) ++i;
  return text.substr(0, i);
}

}  // namespace torchleak::project
