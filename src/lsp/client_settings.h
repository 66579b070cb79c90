// ClientSettings: what the user has set in the editor. It stands above configuration files, as the
// command line does.
//
//   {"configuration": "/repo/torchleak.toml", "select": ["TLK1"], "debounce": 0}
//
// It comes in `initializationOptions.settings`, in workspace/didChangeConfiguration and as the
// answer to workspace/configuration. What is missing or null is not set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/index.h"
#include "lsp/json_rpc.h"

namespace torchleak::lsp {

struct ClientSettings {
  std::string configuration;  // path of a torchleak.toml for every file; empty: the closest ones
  std::vector<std::string> select, extend_select, ignore;
  std::string min_confidence;
  bool unsafe_fixes = true;              // offer them
  bool workspace_diagnostics = true;     // of files that are not open, for clients that ask
  std::optional<std::int64_t> debounce;  // milliseconds from an edit to its analysis
  std::string log_level = "info";        // "error", "warning", "info", "debug"
  bool operator==(const ClientSettings&) const = default;
};

// Members that are wrong are left out, each with a complaint that names it.
ClientSettings ReadClientSettings(const Json& settings, std::vector<std::string>* complaints);

// For the settings of a workspace at `root`. What names an unknown rule or level is left out, with
// a complaint.
config::IndexOptions IndexOptionsFor(const ClientSettings& settings, const std::string& root,
                                     std::vector<std::string>* complaints);

}  // namespace torchleak::lsp
