#include "tests/layering/includes.h"

#include <algorithm>
#include <array>

namespace torchleak::layering {
namespace {

struct Layer {
  std::string_view name;
  std::vector<std::string_view> below;  // directly; what these may use is allowed too
};

// The picture of the layers in docs/architecture.md, as in the DEPS of each CMakeLists.txt. A layer
// stands after those it uses.
const std::vector<Layer>& Order() {
  static const std::vector<Layer> order = {
      {"text", {}},
      {"findings", {"text"}},
      {"syntax", {"text"}},
      {"sema", {"syntax"}},
      {"facts", {"text"}},
      {"facts/compiler", {"facts", "syntax"}},
      {"flow", {"sema", "facts"}},
      {"patterns", {"flow"}},
      {"repair", {"flow", "findings"}},
      {"engine", {"flow", "findings"}},
      {"rules", {"engine", "patterns", "repair"}},
      {"report", {"findings", "engine"}},
      {"project", {"findings", "text"}},
      {"config", {"engine", "findings", "text"}},
      {"suppress", {"findings", "syntax", "text"}},
      {"fix", {"findings", "syntax", "text"}},
      {"baseline", {"findings", "text"}},
      {"cache", {"findings", "text", "project"}},
      {"driver",
       {"engine", "findings", "text", "project", "config", "suppress", "fix", "baseline", "cache"}},
      {"lsp", {"driver", "report"}},
      {"cli", {"driver", "report", "lsp", "rules"}},
  };
  return order;
}

struct Reserved {
  std::string_view prefix;
  std::vector<std::string_view> layers;  // the only ones that may include it
  std::string_view why;
};

const std::vector<Reserved>& ReservedHeaders() {
  static const std::vector<Reserved> reserved = {
      {"tree_sitter/", {"syntax"}, "the parser is known to src/syntax alone"},
      {"CLI/", {"cli"}, "arguments are parsed in src/cli alone"},
      {"toml++/", {"config"}, "TOML is read in src/config alone"},
      {"iostream", {"cli"}, "libraries never print"},
      {"regex", {}, "std::regex is slow and recurses on its input"},
  };
  return reserved;
}

std::string_view Trimmed(std::string_view line) {
  const std::size_t start = line.find_first_not_of(" \t");
  return start == std::string_view::npos ? std::string_view{} : line.substr(start);
}

}  // namespace

std::vector<Include> ReadIncludes(std::string_view text) {
  std::vector<Include> includes;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = Trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.starts_with('#')) continue;
    line = Trimmed(line.substr(1));
    if (!line.starts_with("include")) continue;
    line = Trimmed(line.substr(std::string_view("include").size()));
    if (line.empty()) continue;
    const bool quoted = line.front() == '"';
    const std::size_t close = line.find(quoted ? '"' : '>', 1);
    if (close == std::string_view::npos) continue;
    includes.push_back({std::string(line.substr(1, close - 1)), quoted});
  }
  return includes;
}

std::string LayerOf(const std::filesystem::path& relative_to_root) {
  auto part = relative_to_root.begin();
  if (part == relative_to_root.end()) return {};
  if (*part == "rules") return "rules";
  if (*part != "src" || ++part == relative_to_root.end()) return {};
  const std::string layer = part->string();
  const bool tool = layer == "facts" && ++part != relative_to_root.end() && *part == "compiler";
  return tool ? "facts/compiler" : layer;
}

bool MayUse(std::string_view layer, std::string_view other) {
  if (layer == other) return true;
  const auto& order = Order();
  const auto found =
      std::find_if(order.begin(), order.end(), [&](const Layer& l) { return l.name == layer; });
  // The list grows while it is walked. It ends, since each layer only names earlier ones.
  std::vector<std::string_view> reached;
  if (found != order.end()) reached = found->below;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    if (reached[i] == other) return true;
    for (const Layer& l : order) {
      if (l.name == reached[i]) reached.insert(reached.end(), l.below.begin(), l.below.end());
    }
  }
  return false;
}

std::string Complaint(std::string_view layer, const Include& include) {
  for (const Reserved& header : ReservedHeaders()) {
    const bool matches = header.prefix.ends_with('/') ? include.path.starts_with(header.prefix)
                                                      : include.path == header.prefix;
    if (matches &&
        std::find(header.layers.begin(), header.layers.end(), layer) == header.layers.end()) {
      return std::string(header.why);
    }
  }
  if (!include.quoted) return {};
  const bool from_root = include.path.starts_with("rules/");
  const std::string other = LayerOf(from_root ? include.path : "src/" + include.path);
  if (!MayUse(layer, other)) return std::string(layer) + " may not use " + other;
  return {};
}

std::vector<std::string_view> Layers() {
  std::vector<std::string_view> names;
  for (const Layer& layer : Order()) names.push_back(layer.name);
  return names;
}

}  // namespace torchleak::layering
