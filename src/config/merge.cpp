#include "config/merge.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "config/options.h"

namespace torchleak::config {
namespace {

// `select` begins afresh: what earlier layers add to another selection is of no use any more.
std::span<const Layer> SinceSelect(std::span<const Layer> layers, std::string_view key) {
  if (key != "extend-select") return layers;
  const Layer* last = LastWith(layers, "select");
  return last == nullptr ? layers : layers.subspan(static_cast<std::size_t>(last - layers.data()));
}

Value Added(std::span<const Layer> layers, const Option& option) {
  Value sum = DefaultOf(option);
  for (const Layer& layer : layers) {
    const Value* value = layer.Find(option.key);
    if (value == nullptr) continue;
    sum.words.insert(sum.words.end(), value->words.begin(), value->words.end());
    sum.origin += (sum.origin.empty() ? "" : ", ") + value->origin;
  }
  return sum;
}

Value Effective(std::span<const Layer> layers, const Option& option) {
  if (option.adds) return Added(SinceSelect(layers, option.key), option);
  const Layer* last = LastWith(layers, option.key);
  return last == nullptr ? DefaultOf(option) : *last->Find(option.key);
}

}  // namespace

const Layer* LastWith(std::span<const Layer> layers, std::string_view key) {
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    if (layer->Find(key) != nullptr) return &*layer;
  }
  return nullptr;
}

std::vector<Shown> ShownOptions(std::span<const Layer> layers) {
  std::vector<Shown> shown;
  for (const Option& option : Options()) {
    const Value value = Effective(layers, option);
    std::string toml = ToToml(option, value);
    const bool unset = value.origin.empty();
    // Without a selection the rules are those that are on by default, which no list says.
    if (unset && option.key == "select") toml.clear();
    shown.push_back({option.key, std::move(toml), unset ? "default" : value.origin});
  }
  return shown;
}

std::string AbsoluteIn(std::string_view folder, std::string_view path) {
  namespace fs = std::filesystem;
  const char* home = std::getenv("HOME");
  if (path.starts_with("~/") && home != nullptr && *home != '\0') {
    return (fs::path(home) / path.substr(2)).lexically_normal().string();
  }
  return (fs::path(folder) / path).lexically_normal().string();
}

}  // namespace torchleak::config
