#include "config/index.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "config/file.h"
#include "config/merge.h"
#include "config/reader.h"

namespace torchleak::config {
namespace {

std::string_view FolderOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string_view::npos ? "/" : path.substr(0, slash);
}

// Patterns of a file that is no part of a project are relative to the working directory.
void MoveTo(const std::string& root, std::vector<Layer>* layers) {
  if (layers->empty()) return;
  layers->back().folder = root;
}

}  // namespace

text::Result<std::shared_ptr<const SettingsIndex>> SettingsIndex::Create(IndexOptions options) {
  auto index = std::shared_ptr<SettingsIndex>(new SettingsIndex(std::move(options)));
  const IndexOptions& o = index->options_;
  if (o.config_file) {
    auto chain = ChainOfFile(AbsoluteIn(o.root, *o.config_file), o.root);
    if (!chain) return chain.error();
    MoveTo(o.root, &chain->layers);
    index->for_all_ = index->Settle(*std::move(chain));
  } else if (o.isolated) {
    index->for_all_ = index->Settle({});
  }
  auto run = index->ForFolder(o.root);
  if (!run) return run.error();
  index->run_ = *run;
  return std::shared_ptr<const SettingsIndex>(std::move(index));
}

SettingsPtr SettingsIndex::Settle(Chain chain) const {
  std::vector<Layer>& layers = chain.layers;
  layers.insert(layers.end(), options_.overrides.begin(), options_.overrides.end());
  auto settings = std::make_shared<Settings>(Resolve(layers, options_.root));
  settings->files = std::move(chain.files);
  settings->shadowed = std::move(chain.shadowed);
  return settings;
}

text::Result<SettingsPtr> SettingsIndex::Look(const std::string& folder) const {
  auto chain = ChainOfFolder(folder, options_.root);
  if (!chain) return chain.error();
  if (!*chain) return SettingsPtr();
  return Settle(**std::move(chain));
}

text::Result<SettingsPtr> SettingsIndex::Fallback() const {
  if (!options_.user_folder.empty()) {
    auto file = ReadConfigFile(options_.user_folder + "/torchleak.toml", options_.root, false);
    if (!file) return file.error();
    if (*file) {
      auto chain = ChainOfFile((*file)->path, options_.root);
      if (!chain) return chain.error();
      MoveTo(options_.root, &chain->layers);
      return Settle(*std::move(chain));
    }
  }
  return Settle({});
}

text::Result<SettingsPtr> SettingsIndex::ForFolder(std::string_view absolute_folder) const {
  if (for_all_ != nullptr) return for_all_;
  const std::lock_guard lock(mutex_);
  std::vector<std::string> without;  // folders on the way up that say nothing themselves
  std::string folder(absolute_folder);
  while (true) {
    if (auto known = by_folder_.find(folder); known != by_folder_.end()) {
      auto result = known->second;
      for (std::string& below : without) by_folder_.emplace(std::move(below), result);
      return result;
    }
    auto found = Look(folder);
    const bool at_top = folder == "/" || folder.empty();
    if (found && *found == nullptr && at_top) found = Fallback();
    if (!found || *found != nullptr) {
      by_folder_.emplace(folder, std::move(found));
      continue;  // it is known now
    }
    without.push_back(folder);
    folder = FolderOf(without.back());
  }
}

text::Result<SettingsPtr> SettingsIndex::ForFile(std::string_view absolute_path) const {
  return ForFolder(FolderOf(absolute_path));
}

text::Result<Layer> InlineLayer(std::span<const std::string> texts, const std::string& root) {
  Layer sum{"--config", root, {}};
  for (const std::string& text : texts) {
    const File file{"--config", "--config", root, text};
    auto layer = ReadLayer(file, Section::kInline);
    if (!layer) return layer.error();
    for (auto& [key, value] : (*layer)->values) sum.values[key] = std::move(value);
  }
  if (auto problem = CheckLayer(sum); !problem.empty()) return text::Error{problem};
  return sum;
}

std::string UserConfigFolder() {
  const char* xdg = std::getenv("XDG_CONFIG_HOME");
  if (xdg != nullptr && *xdg == '/') return std::string(xdg) + "/torchleak";
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.config/torchleak" : std::string();
}

Rules UnionOfRules(std::span<const SettingsPtr> settings) {
  Rules rules;
  for (const engine::Rule* rule : engine::AllRules()) {
    const bool used = std::any_of(settings.begin(), settings.end(), [rule](const SettingsPtr& s) {
      return Contains(s->rules, rule->info().code);
    });
    if (used) rules.push_back(rule);
  }
  return rules;
}

}  // namespace torchleak::config
