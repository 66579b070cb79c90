// Reads the #include lines of the sources and judges them by the layers' order.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace torchleak::layering {

struct Include {
  std::string path;     // "flow/value.h", "tree_sitter/api.h"
  bool quoted = false;  // "…" rather than <…>
};

// The #include lines of one file, in order; what a block comment hides is not looked for.
std::vector<Include> ReadIncludes(std::string_view text);

// The layer of a source: "flow" for src/flow/value.h, "rules" for rules/<name>/rule.cpp,
// "facts/compiler" for the tool that only runs during the build.
std::string LayerOf(const std::filesystem::path& relative_to_root);

// Whether sources of `layer` may include headers of `other`: itself, or a layer below it.
bool MayUse(std::string_view layer, std::string_view other);

// What is wrong with one include in a file of `layer`; empty when nothing is.
std::string Complaint(std::string_view layer, const Include& include);

// All layers that have an order.
std::vector<std::string_view> Layers();

}  // namespace torchleak::layering
