#include "syntax/tree.h"

#include <algorithm>

namespace torchleak::syntax {

// In preorder no node begins before the one ahead of it. So the innermost node around `offset` is
// the last one that begins at or before it, or an ancestor of that one.
NodeId Tree::At(std::uint32_t offset) const {
  const auto after =
      std::upper_bound(nodes_.begin() + 1, nodes_.end(), offset,
                       [](std::uint32_t value, const Node& node) { return value < node.begin; });
  NodeId id{static_cast<std::uint32_t>(after - nodes_.begin()) - 1};
  while (id != root() && (*this)[id].end <= offset) id = Parent(id);
  return id;
}

}  // namespace torchleak::syntax
