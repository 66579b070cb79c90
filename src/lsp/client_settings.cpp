#include "lsp/client_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

namespace torchleak::lsp {
namespace {

class Reader {
 public:
  Reader(const Json& settings, std::vector<std::string>* complaints)
      : settings_(settings), complaints_(complaints) {}

  void Text(const char* key, std::string* out) {
    const Json* value = Find(key);
    if (value == nullptr) return;
    if (!value->is_string()) return Complain(key, "a string");
    *out = value->get<std::string>();
  }
  void Texts(const char* key, std::vector<std::string>* out) {
    const Json* value = Find(key);
    if (value == nullptr) return;
    const bool strings =
        value->is_array() &&
        std::all_of(value->begin(), value->end(), [](const Json& v) { return v.is_string(); });
    if (!strings) return Complain(key, "a list of strings");
    out->clear();
    for (const Json& word : *value) out->push_back(word.get<std::string>());
  }
  void Flag(const char* key, bool* out) {
    const Json* value = Find(key);
    if (value == nullptr) return;
    if (!value->is_boolean()) return Complain(key, "true or false");
    *out = value->get<bool>();
  }
  void Milliseconds(const char* key, std::optional<std::int64_t>* out) {
    const Json* value = Find(key);
    if (value == nullptr) return;
    constexpr double kMost = 60'000;
    if (!value->is_number() || value->get<double>() < 0 || value->get<double>() > kMost)
      return Complain(key, "milliseconds from 0 to 60000");
    *out = static_cast<std::int64_t>(value->get<double>());
  }
  void Complain(std::string_view key, std::string_view expected) {
    complaints_->push_back(fmt::format("setting torchleak.{}: expected {}", key, expected));
  }

 private:
  const Json* Find(const char* key) const {
    const auto at = settings_.find(key);
    return at == settings_.end() || at->is_null() ? nullptr : &*at;
  }

  const Json& settings_;
  std::vector<std::string>* complaints_;
};

constexpr std::array<std::string_view, 4> kLevels = {"error", "warning", "info", "debug"};

}  // namespace

ClientSettings ReadClientSettings(const Json& settings, std::vector<std::string>* complaints) {
  ClientSettings out;
  if (!settings.is_object()) return out;
  Reader reader(settings, complaints);
  reader.Text("configuration", &out.configuration);
  reader.Texts("select", &out.select);
  reader.Texts("extendSelect", &out.extend_select);
  reader.Texts("ignore", &out.ignore);
  reader.Text("minConfidence", &out.min_confidence);
  reader.Flag("unsafeFixes", &out.unsafe_fixes);
  reader.Flag("workspaceDiagnostics", &out.workspace_diagnostics);
  reader.Milliseconds("debounce", &out.debounce);
  reader.Text("logLevel", &out.log_level);
  if (std::find(kLevels.begin(), kLevels.end(), out.log_level) == kLevels.end()) {
    reader.Complain("logLevel", "error, warning, info or debug");
    out.log_level = "info";
  }
  return out;
}

text::Result<config::IndexOptions> IndexOptionsFor(const ClientSettings& settings,
                                                   const std::string& root) {
  config::IndexOptions options;
  options.root = root;
  options.user_folder = config::UserConfigFolder();
  if (!settings.configuration.empty()) {
    options.config_file = (std::filesystem::path(root) / settings.configuration).string();
  }
  config::Layer layer{"the editor's settings", root, {}};
  const auto add = [&](const char* key, const std::vector<std::string>& words) {
    if (words.empty()) return;
    config::Value& value = layer.values[key];
    value.words = words;
    value.origin = layer.name;
  };
  add("select", settings.select);
  add("extend-select", settings.extend_select);
  add("ignore", settings.ignore);
  if (!settings.min_confidence.empty()) {
    config::Value& value = layer.values["min-confidence"];
    value.text = settings.min_confidence;
    value.origin = layer.name;
  }
  if (std::string problem = config::CheckLayer(layer); !problem.empty())
    return text::Error{"the editor's settings: " + problem};
  options.overrides.push_back(std::move(layer));
  return options;
}

}  // namespace torchleak::lsp
