#include "suppress/words.h"

#include <algorithm>

namespace torchleak::suppress {

bool SameWord(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

bool StartsWith(std::string_view text, std::string_view lower) {
  return SameWord(text.substr(0, lower.size()), lower);
}

bool Contains(std::string_view text, std::string_view lower) {
  for (std::size_t i = 0; i + lower.size() <= text.size(); ++i) {
    if (Lower(text[i]) == lower.front() && StartsWith(text.substr(i), lower)) return true;
  }
  return false;
}

std::string UpperOf(std::string_view text) {
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(), Upper);
  return upper;
}

bool IsCode(std::string_view word) {
  const auto digits = std::find_if_not(word.begin(), word.end(), IsLetter);
  return digits != word.begin() && digits != word.end() && std::all_of(digits, word.end(), IsDigit);
}

}  // namespace torchleak::suppress
