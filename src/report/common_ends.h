// CommonEnds: what two sequences begin and end with alike. Inner to this layer.
#pragma once

#include <algorithm>
#include <cstddef>

namespace torchleak::report {

struct CommonEnds {
  std::size_t head = 0, tail = 0;  // elements; they never overlap
};

template <typename Sequence>
CommonEnds CommonEndsOf(const Sequence& a, const Sequence& b) {
  const std::size_t shorter = std::min(a.size(), b.size());
  CommonEnds ends;
  while (ends.head < shorter && a[ends.head] == b[ends.head]) ++ends.head;
  while (ends.tail < shorter - ends.head &&
         a[a.size() - 1 - ends.tail] == b[b.size() - 1 - ends.tail])
    ++ends.tail;
  return ends;
}

}  // namespace torchleak::report
