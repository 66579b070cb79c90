#include "driver/roots.h"

#include <algorithm>
#include <filesystem>
#include <unordered_map>

#include "project/paths.h"

namespace torchleak::driver {
namespace {

namespace fs = std::filesystem;

class Roots {
 public:
  Roots(std::span<const std::string> given, const std::string& working_directory)
      : given_(given), working_directory_(working_directory) {}

  const std::string& Of(std::string_view folder) {
    auto [it, fresh] = known_.try_emplace(std::string(folder));
    if (fresh) it->second = Search(folder);
    return it->second;
  }

 private:
  static bool Exists(std::string_view folder, std::string_view name) {
    std::error_code ignored;
    return fs::exists(fs::path(folder) / name, ignored);
  }

  std::string Search(std::string_view folder) const {
    for (std::string_view at = folder;; at = project::FolderOf(at)) {
      if (Exists(at, ".git")) return std::string(at);
      if (at == "/") break;
    }
    if (project::IsWithin(folder, working_directory_)) return working_directory_;
    std::string_view nearest;
    for (const std::string& g : given_) {
      if (project::IsWithin(folder, g) && g.size() > nearest.size()) nearest = g;
    }
    if (nearest.empty()) {
      for (std::string_view at = folder; at != "/"; at = project::FolderOf(at)) {
        if (Exists(at, "pyproject.toml") || Exists(at, "setup.py")) return std::string(at);
      }
    }
    std::string_view top = nearest.empty() ? folder : nearest;
    while (top != "/" && Exists(top, "__init__.py")) top = project::FolderOf(top);
    return std::string(top);
  }

  std::span<const std::string> given_;
  const std::string& working_directory_;
  std::unordered_map<std::string, std::string> known_;
};

}  // namespace

std::vector<std::string> ImportRoots(std::span<const std::string> files,
                                     std::span<const std::string> given_folders,
                                     const std::string& working_directory) {
  Roots roots(given_folders, working_directory);
  std::vector<std::string> out;
  for (const std::string& file : files) {
    const std::string& root = roots.Of(project::FolderOf(file));
    if (std::find(out.begin(), out.end(), root) == out.end()) out.push_back(root);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace torchleak::driver
