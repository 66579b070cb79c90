// Outline: a tree as nested text, `(module (call function:(identifier) …))`, for comparisons.
#pragma once

#include <string>
#include <vector>

#include "syntax/tree.h"

namespace torchleak::syntax {

// Leaves show their text: `left:identifier=x`.
inline std::string Outline(const Tree& tree, NodeId top) {
  std::string out;
  std::vector<NodeId> open_ends;
  for (NodeId id = top; id != tree.End(top); id = NodeId{Index(id) + 1}) {
    while (!open_ends.empty() && open_ends.back() == id) {
      out += ')';
      open_ends.pop_back();
    }
    if (!out.empty()) out += ' ';
    if (tree[id].field != Field::kNone) out += std::string(Name(tree[id].field)) + ':';
    const bool leaf = tree.FirstChild(id) == kNoNode;
    if (!leaf) {
      out += '(';
      open_ends.push_back(tree.End(id));
    }
    out += Name(tree.kind(id));
    if ((tree[id].flags & kAsync) != 0) out += "!async";
    if (leaf) out += '=' + std::string(tree.Text(id));
  }
  return out.append(open_ends.size(), ')');
}

}  // namespace torchleak::syntax
