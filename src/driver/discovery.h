// Discovery: which files a run looks at.
//
// Directories are walked for *.py, *.pyi and *.ipynb; what .gitignore, .ignore, .git/info/exclude
// and the exclude patterns leave out is not entered. A path given by hand is always taken, whatever
// its name, unless `force_exclude`. Symbolic links to directories are not followed below a given
// path (as in git, ruff and ripgrep), so loops end; links to files are. Every file is listed once,
// sorted.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/index.h"
#include "text/result.h"

namespace torchleak::driver {

// Something about a file that is no finding: it could not be read, or is nothing to analyse.
struct Notification {
  enum class Level : std::uint8_t {
    kWarning,  // skipped for a reason that lies in the file: binary, too large, unknown encoding
    kError,    // not seen although asked for: missing, no permission. Exit status 2.
  };
  std::string path;
  std::string message;
  Level level = Level::kError;
  bool operator==(const Notification&) const = default;
};

struct DiscoveryOptions {
  std::vector<std::string> paths;  // as given; relative ones are below `root`
  std::string root;                // absolute: the working directory
  bool respect_gitignore = true;
  bool force_exclude = false;         // excludes count for paths given by hand, too
  std::vector<std::string> excludes;  // gitignore-style, relative to `root`
  // The excludes of each folder, instead of `excludes`; must outlive the walk.
  const config::SettingsIndex* settings = nullptr;
  // Asked before each folder, with the number of files so far; true ends the walk.
  std::function<bool(std::size_t)> stops = nullptr;
};

struct DiscoveredFile {
  std::string path;        // absolute, lexically normal
  std::uint64_t size = 0;  // a hint for scheduling
};

struct Discovery {
  std::vector<DiscoveredFile> files;
  std::vector<std::string> folders;  // that were walked, absolute: what --watch looks at
  std::vector<Notification> notifications;
  bool stopped = false;              // by DiscoveryOptions::stops
  std::optional<text::Error> error;  // a configuration file that cannot be read: the walk ended
};

Discovery Discover(const DiscoveryOptions& options);

// How a path is shown and fingerprinted: relative to `root` when below it, else absolute.
std::string DisplayPath(std::string_view absolute, std::string_view root);
// `path` as an absolute, lexically normal path; relative ones are below `root`.
std::string AbsolutePath(std::string_view path, std::string_view root);
// Would `force_exclude` leave this path out? Looks at its ancestors below `root` as well.
bool IsExcluded(std::string_view absolute, const DiscoveryOptions& options);

}  // namespace torchleak::driver
