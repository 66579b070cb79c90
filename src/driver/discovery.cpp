// A walk with an explicit stack: one entry for each directory, with the ignore level it inherits.
#include "driver/discovery.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "driver/ignore.h"
#include "text/notebook.h"

namespace torchleak::driver {
namespace {

namespace fs = std::filesystem;

bool IsPython(std::string_view name) {
  return name.ends_with(".py") || name.ends_with(".pyi") || text::IsNotebook(name);
}

// The patterns of the options, for callers without configuration.
config::PathPatterns Excludes(const DiscoveryOptions& options) {
  config::PathPatterns excludes;
  for (const std::string& pattern : options.excludes) excludes.Add(pattern, options.root);
  return excludes;
}

// Path below the root, or the path without its leading slash.
std::string_view Relative(std::string_view absolute, std::string_view root) {
  if (absolute.size() > root.size() && absolute.starts_with(root) &&
      (root.ends_with('/') || absolute[root.size()] == '/')) {
    return absolute.substr(root.ends_with('/') ? root.size() : root.size() + 1);
  }
  return absolute.substr(std::min<std::size_t>(1, absolute.size()));
}

class Walker {
 public:
  explicit Walker(const DiscoveryOptions& options)
      : options_(options), excludes_(Excludes(options)) {}

  void AddRoot(const std::string& given) {
    std::string path = AbsolutePath(given, options_.root);
    std::error_code error;
    fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
      bool missing = !error || error == std::errc::no_such_file_or_directory ||
                     error == std::errc::not_a_directory;
      return Complain(given, missing ? "no such file or directory" : error.message());
    }
    if (options_.force_exclude && IsExcluded(path, options_)) return;
    if (!fs::is_directory(status)) return AddFile(path);
    if (result_.error) return;
    stack_.push_back({path, options_.respect_gitignore ? IgnoreLevel::Above(path) : nullptr});
    while (!stack_.empty() && !result_.error) {
      if (options_.stops != nullptr && options_.stops(result_.files.size())) {
        result_.stopped = true;
        return stack_.clear();
      }
      Pending next = std::move(stack_.back());
      stack_.pop_back();
      Walk(std::move(next));
    }
  }

  Discovery Finish() {
    auto by_path = [](const auto& a, const auto& b) { return a.path < b.path; };
    auto& files = result_.files;
    std::sort(files.begin(), files.end(), by_path);
    files.erase(std::unique(files.begin(), files.end(),
                            [](const auto& a, const auto& b) { return a.path == b.path; }),
                files.end());
    std::stable_sort(result_.notifications.begin(), result_.notifications.end(), by_path);
    return std::move(result_);
  }

 private:
  struct Pending {
    std::string path;
    IgnoreLevel::Ptr level;
  };

  void Walk(Pending directory) {
    std::error_code error;
    fs::directory_iterator it(directory.path, error), end;
    if (error) return Complain(DisplayPath(directory.path, options_.root), Reason(error));
    result_.folders.push_back(directory.path);
    if (options_.respect_gitignore) {
      directory.level = IgnoreLevel::Enter(std::move(directory.level), directory.path);
    }
    const config::PathPatterns* excludes = ExcludesIn(directory.path);
    if (excludes == nullptr) return;
    while (it != end) {
      Visit(*it, directory.level, *excludes);
      it.increment(error);
      if (error) return Complain(DisplayPath(directory.path, options_.root), Reason(error));
    }
  }

  // What the configuration of the folder says; null when it cannot be read. Owned by the index.
  const config::PathPatterns* ExcludesIn(const std::string& folder) {
    if (options_.settings == nullptr) return &excludes_;
    auto settings = options_.settings->ForFolder(folder);
    if (settings) return &(*settings)->excludes;
    result_.error = settings.error();
    return nullptr;
  }

  void Visit(const fs::directory_entry& entry, const IgnoreLevel::Ptr& level,
             const config::PathPatterns& excludes) {
    std::error_code error;
    bool is_link = entry.is_symlink(error);
    bool is_directory = !is_link && entry.is_directory(error);
    const std::string& path = entry.path().native();
    if (!is_directory && !IsPython(path)) return;
    if (excludes.Matches(path, is_directory)) return;
    if (level != nullptr && level->Ignores(path, is_directory)) return;
    if (is_directory) {
      stack_.push_back({path, level});
    } else if (entry.is_regular_file(error)) {  // follows links; false for dangling ones and pipes
      AddFile(path);
    }
  }

  void AddFile(const std::string& path) {
    std::error_code error;
    std::uintmax_t size = fs::file_size(path, error);
    result_.files.push_back({path, error ? 0 : size});
  }

  static std::string Reason(const std::error_code& error) {
    return error == std::errc::permission_denied ? "cannot be read: permission denied"
                                                 : "cannot be read: " + error.message();
  }

  void Complain(std::string path, std::string message) {
    result_.notifications.push_back(
        {std::move(path), std::move(message), Notification::Level::kError});
  }

  const DiscoveryOptions& options_;
  config::PathPatterns excludes_;
  std::vector<Pending> stack_;
  Discovery result_;
};

}  // namespace

std::string AbsolutePath(std::string_view path, std::string_view root) {
  fs::path result = (fs::path(root) / fs::path(path)).lexically_normal();
  if (!result.has_filename() && result.has_relative_path()) result = result.parent_path();
  return result.string();
}

std::string DisplayPath(std::string_view absolute, std::string_view root) {
  if (absolute == root) return ".";
  std::string_view relative = Relative(absolute, root);
  bool below = relative.size() + 1 < absolute.size() || root == "/";
  return std::string(below ? relative : absolute);
}

bool IsExcluded(std::string_view absolute, const DiscoveryOptions& options) {
  std::error_code error;
  const bool is_directory = fs::is_directory(fs::path(absolute), error);
  if (options.settings == nullptr) return Excludes(options).MatchesTree(absolute, is_directory);
  // As a walk from the root meets them: what the file of a folder leaves out is not entered.
  for (std::size_t at = options.root.size(); at < absolute.size();) {
    if (!absolute.starts_with(options.root)) break;
    const std::size_t end = std::min(absolute.find('/', at + 1), absolute.size());
    auto settings = options.settings->ForFolder(absolute.substr(0, std::max<std::size_t>(at, 1)));
    const bool is_folder = end < absolute.size() || is_directory;
    if (settings && (*settings)->Excludes(absolute.substr(0, end), is_folder)) return true;
    at = end;
  }
  auto settings = options.settings->ForFile(absolute);
  // What cannot be read is told when the file itself is asked for its settings.
  return settings && (*settings)->ExcludesTree(absolute, is_directory);
}

Discovery Discover(const DiscoveryOptions& options) {
  Walker walker(options);
  for (const std::string& path : options.paths) walker.AddRoot(path);
  return walker.Finish();
}

}  // namespace torchleak::driver
