// Characters and words of comments. Letters are those of ASCII, and their case is free.
#pragma once

#include <string>
#include <string_view>

namespace torchleak::suppress {

inline char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
inline char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
inline bool IsLetter(char c) { return Lower(c) >= 'a' && Lower(c) <= 'z'; }
inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
inline bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\f'; }
inline bool IsWordPart(char c) { return IsLetter(c) || IsDigit(c) || c == '-' || c == '_'; }

bool SameWord(std::string_view a, std::string_view b);
// `lower` is in small letters.
bool StartsWith(std::string_view text, std::string_view lower);
bool Contains(std::string_view text, std::string_view lower);
std::string UpperOf(std::string_view text);
// `E501`: what codes of all tools look like.
bool IsCode(std::string_view word);

}  // namespace torchleak::suppress
