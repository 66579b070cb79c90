// AttributeUses: what a file does with attributes by name, for the files that define them.
//
// `model.saved_log_probs.clear()` in one file empties what forward() in another fills. Names are
// kept as hashes: a set of them answers "does anyone out there read `.features`?".
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace torchleak::flow {

class World;

std::uint64_t NameHash(std::string_view name);

struct AttributeUses {
  using Names = std::vector<std::uint64_t>;  // sorted hashes
  Names read;                                // of something else than `self`
  Names reset;                               // rebound or emptied, not by __init__
  Names removed;                             // remove() is called on a handle from there
  Names differentiated;
  Names escaping;  // through `self`: handed on by a class that has bases elsewhere

  static bool Has(const Names& names, std::string_view name);
  void Add(const AttributeUses& other);  // Sort() after the last one
  void Sort();
  bool operator==(const AttributeUses&) const = default;
};

AttributeUses UsesOf(const World& world);

}  // namespace torchleak::flow
