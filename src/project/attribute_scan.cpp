#include "project/attribute_scan.h"

#include <unordered_set>

#include "project/byte_search.h"
#include "project/names.h"
#include "project/skip_token.h"

namespace torchleak::project {
namespace {

// The length of `name.name.name` at the start of `text`.
std::size_t ChainLength(std::string_view text) {
  std::size_t length = FirstName(text).size();
  while (length < text.size() && text[length] == '.') {
    const std::size_t next = FirstName(text.substr(length + 1)).size();
    if (next == 0) break;
    length += 1 + next;
  }
  return length;
}

}  // namespace

std::vector<std::string_view> ScanAttributes(std::string_view bytes, const StringSet& names) {
  std::vector<std::string_view> chains;
  std::unordered_set<std::string_view> seen;
  bool is_triple = false;
  for (std::size_t i = 0; i < bytes.size(); i = SkipToken(bytes, i, &is_triple)) {
    const std::size_t end = FindQuoteOrHash(bytes, i, bytes.size());
    while (i < end) {
      const std::size_t length = ChainLength(bytes.substr(i, end - i));
      const std::string_view chain = bytes.substr(i, length);
      const bool goes_on = i > 0 && bytes[i - 1] == '.';  // f().np.x
      if (!goes_on && names.contains(chain.substr(0, chain.find('.'))) &&
          chain.find('.') != std::string_view::npos && seen.insert(chain).second) {
        chains.push_back(chain);
        if (chains.size() == kMaxChains) return chains;
      }
      i += length == 0 ? 1 : length;
    }
    if (end == bytes.size()) break;
    i = end;
  }
  return chains;
}

}  // namespace torchleak::project
