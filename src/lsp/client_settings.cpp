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

config::IndexOptions IndexOptionsFor(const ClientSettings& settings, const std::string& root,
                                     std::vector<std::string>* complaints) {
  config::IndexOptions options;
  options.root = root;
  options.user_folder = config::UserConfigFolder();
  if (!settings.configuration.empty()) {
    options.config_file = (std::filesystem::path(root) / settings.configuration).string();
  }
  config::Layer layer{"the editor's settings", root, {}};
  // One that is wrong must not take the others with it.
  const auto add = [&](const char* key, const char* name, config::Value value) {
    if (value.words.empty() && value.text.empty()) return;
    value.origin = name;
    const config::Layer alone{layer.name, root, {{key, value}}};
    std::string problem = config::CheckLayer(alone);
    if (problem.empty()) {
      layer.values[key] = std::move(value);
    } else {
      complaints->push_back(std::move(problem));
    }
  };
  const auto words = [](const std::vector<std::string>& list) {
    config::Value value;
    value.words = list;
    return value;
  };
  config::Value confidence;
  confidence.text = settings.min_confidence;
  add("ignore", "torchleak.ignore", words(settings.ignore));
  add("select", "torchleak.select", words(settings.select));
  add("extend-select", "torchleak.extendSelect", words(settings.extend_select));
  add("min-confidence", "torchleak.minConfidence", confidence);
  // Two that contradict each other: what is ignored stays ignored.
  if (std::string problem = config::CheckLayer(layer); !problem.empty()) {
    complaints->push_back(std::move(problem));
    layer.values.erase("select");
    layer.values.erase("extend-select");
  }
  options.overrides.push_back(std::move(layer));
  return options;
}

}  // namespace torchleak::lsp
