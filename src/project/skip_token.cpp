#include "project/skip_token.h"

#include <algorithm>

#include "project/byte_search.h"
#include "project/names.h"

namespace torchleak::project {
namespace {

char At(std::string_view bytes, std::size_t i) { return i < bytes.size() ? bytes[i] : '\n'; }

bool IsTriple(std::string_view bytes, std::size_t i) {
  return At(bytes, i + 1) == bytes[i] && At(bytes, i + 2) == bytes[i];
}

std::size_t SkipTriple(std::string_view bytes, std::size_t begin) {
  const char quote = bytes[begin];
  std::size_t i = begin + 3;
  for (;; ++i) {
    i = FindEither(bytes, std::min(i, bytes.size()), bytes.size(), quote, '\\');
    if (i == bytes.size()) return i;
    if (bytes[i] == '\\') {
      ++i;
    } else if (IsTriple(bytes, i)) {
      return i + 3;
    }
  }
}

std::size_t SkipSingle(std::string_view bytes, std::size_t begin) {
  std::size_t i = begin + 1;
  for (; i < bytes.size() && !IsLineEnd(bytes[i]); ++i) {
    if (bytes[i] == bytes[begin]) return i + 1;
    if (bytes[i] != '\\') continue;
    ++i;
    if (At(bytes, i) == '\r' && At(bytes, i + 1) == '\n') ++i;
  }
  return std::min(i, bytes.size());
}

}  // namespace

// A backslash takes the next byte along in raw strings, too, so prefixes do not matter.
std::size_t SkipToken(std::string_view bytes, std::size_t begin, bool* is_triple) {
  *is_triple = false;
  if (bytes[begin] == '#') return FindEither(bytes, begin, bytes.size(), '\n', '\r');
  *is_triple = IsTriple(bytes, begin);
  return *is_triple ? SkipTriple(bytes, begin) : SkipSingle(bytes, begin);
}

}  // namespace torchleak::project
