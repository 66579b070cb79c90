// A project in memory below /repo, and its index. Files are named relative to that.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "project/module_index.h"

namespace torchleak::project {

using Files = std::initializer_list<std::pair<std::string_view, std::string_view>>;

struct Project {
  explicit Project(Files files) : index(&tree, "/repo") {
    for (const auto& [path, bytes] : files) Put(path, bytes);
  }
  void Put(std::string_view path, std::string_view bytes) {
    tree.Put("/repo/" + std::string(path), std::string(bytes));
  }
  FileId Add(std::string_view path) { return index.Add("/repo/" + std::string(path)); }
  std::string Short(FileId id) const {
    return id == kNoFile ? "none" : index.path(id).substr(std::string_view("/repo/").size());
  }

  std::string Resolve(std::string_view from, std::string_view module) {
    const Resolved found = index.Resolve(Add(from), module);
    return found.is_namespace ? "namespace" : Short(found.file);
  }
  // "file name"
  std::string Locate(std::string_view from, std::string_view qualified) {
    const Located found = index.Locate(Add(from), qualified);
    if (!found) return "none";
    return Short(found.file) + (found.name.empty() ? "" : " ") + found.name;
  }

  MemoryTree tree;
  ModuleIndex index;
};

}  // namespace torchleak::project
