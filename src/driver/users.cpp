#include "driver/users.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "config/options.h"
#include "driver/discovery.h"

namespace torchleak::driver {

std::vector<std::string> FilesBelow(const std::string& folder) {
  DiscoveryOptions options;
  options.paths = {folder};
  options.root = folder;
  const auto excludes = config::DefaultExcludes();
  options.excludes.assign(excludes.begin(), excludes.end());
  std::vector<std::string> files;
  for (DiscoveredFile& file : Discover(options).files) files.push_back(std::move(file.path));
  return files;
}

bool IsProjectTop(const std::string& folder) {
  std::error_code ignored;
  const std::filesystem::path path(folder);
  return std::filesystem::exists(path / ".git", ignored) ||
         std::filesystem::exists(path / "pyproject.toml", ignored) ||
         std::filesystem::exists(path / "setup.py", ignored);
}

}  // namespace torchleak::driver
