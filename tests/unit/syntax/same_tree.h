// DifferenceOf: what tells two trees of the same text apart, for tests of how they were made.
#pragma once

#include <cstdint>
#include <string>

#include "syntax/tree.h"

namespace torchleak::syntax {

// Empty when they are the same in every node, comment, error and part.
inline std::string DifferenceOf(const Tree& one, const Tree& other) {
  if (one.parts() != other.parts()) return "parts";
  if (one.errors() != other.errors()) return "errors";
  if (one.comments() != other.comments()) return "comments";
  if (one.size() != other.size()) return "number of nodes";
  for (std::uint32_t i = 0; i < one.size(); ++i) {
    const Node &a = one[NodeId{i}], &b = other[NodeId{i}];
    const bool same = a.kind == b.kind && a.field == b.field && a.flags == b.flags &&
                      a.parent == b.parent && a.end_id == b.end_id && a.begin == b.begin &&
                      a.end == b.end;
    if (!same) return "node " + std::to_string(i) + " at byte " + std::to_string(a.begin);
  }
  return {};
}

}  // namespace torchleak::syntax
