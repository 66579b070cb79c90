#include "driver/users.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "config/options.h"
#include "driver/discovery.h"
#include "project/import_graph.h"

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

Users UsersOf(project::FileTree* tree, const std::string& root, std::span<const std::string> files,
              std::span<const std::string> below) {
  project::ModuleIndex index(tree, root);
  std::vector<project::FileId> ids;
  for (const std::string& file : files) ids.push_back(index.Add(file));
  std::vector<project::FileId> starts = ids;
  for (const std::string& file : below) starts.push_back(index.Add(file));
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  const project::ImportGraph graph(&index, starts);
  const std::unordered_set<project::FileId> given(ids.begin(), ids.end());
  Users out;
  for (const project::FileId id : ids) {
    for (const project::FileId user : graph.Dependents(id)) {
      if (given.contains(user)) continue;
      out.files.push_back(index.path(user));
      out.used.push_back(index.path(id));
    }
  }
  for (std::vector<std::string>* list : {&out.files, &out.used}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  return out;
}

bool IsProjectTop(const std::string& folder) {
  std::error_code ignored;
  const std::filesystem::path path(folder);
  return std::filesystem::exists(path / ".git", ignored) ||
         std::filesystem::exists(path / "pyproject.toml", ignored) ||
         std::filesystem::exists(path / "setup.py", ignored);
}

}  // namespace torchleak::driver
