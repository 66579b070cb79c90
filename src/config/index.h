// SettingsIndex: which settings hold for which file. The closest configuration file wins, and
// nothing is merged with those farther up unless it extends them; the command line beats all.
//
// Folders are looked at once, when first asked for, and settings are shared by all of them for
// which the same file holds. Safe to ask from several threads. A mistake in a file is returned by
// every question that meets the file: a run ends with it, whatever else there is to check.
//
//   auto index = SettingsIndex::Create({.root = "/repo", .overrides = {flags}});
//   auto settings = (*index)->ForFile("/repo/src/train.py");
//   if (!settings) return settings.error();
//   if ((*settings)->Reports(finding, "/repo/src/train.py")) …
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/chain.h"
#include "config/settings.h"
#include "config/value.h"
#include "text/result.h"

namespace torchleak::config {

using SettingsPtr = std::shared_ptr<const Settings>;

struct IndexOptions {
  std::string root = {};                        // absolute: the working directory
  bool isolated = false;                        // read no file
  std::optional<std::string> config_file = {};  // --config PATH: this one for all files
  std::string user_folder = {};                 // see UserConfigFolder(); empty: none
  std::vector<Layer> overrides = {};            // --config 'key=value', then the other flags
};

class SettingsIndex {
 public:
  // Fails when the settings of the working directory cannot be read.
  static text::Result<std::shared_ptr<const SettingsIndex>> Create(IndexOptions options);

  text::Result<SettingsPtr> ForFolder(std::string_view absolute_folder) const;
  text::Result<SettingsPtr> ForFile(std::string_view absolute_path) const;
  const Settings& run() const { return *run_; }  // of the working directory

 private:
  explicit SettingsIndex(IndexOptions options) : options_(std::move(options)) {}
  text::Result<SettingsPtr> Look(const std::string& folder) const;  // null: not here
  text::Result<SettingsPtr> Fallback() const;                       // where no folder has a file
  SettingsPtr Settle(Chain chain) const;

  IndexOptions options_;
  SettingsPtr run_;
  SettingsPtr for_all_;  // with --config PATH or --isolated
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, text::Result<SettingsPtr>> by_folder_;
};

// What `--config 'key=value'` says. Its patterns are relative to the working directory.
text::Result<Layer> InlineLayer(std::span<const std::string> texts, const std::string& root);

// $XDG_CONFIG_HOME/torchleak, else ~/.config/torchleak; its torchleak.toml holds where no other
// does.
std::string UserConfigFolder();

// The rules that are selected anywhere among these: what a run has to look for.
Rules UnionOfRules(std::span<const SettingsPtr> settings);

}  // namespace torchleak::config
