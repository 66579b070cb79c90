// Paths and dotted names taken apart, without touching the disk.
#pragma once

#include <string>
#include <string_view>

namespace torchleak::project {

// Of an absolute, normal path: "/a" for "/a/b", "/" for "/a" and for "/".
inline std::string_view FolderOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return path.substr(0, slash == 0 || slash == std::string_view::npos ? 1 : slash);
}
inline std::string_view NameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }
inline std::string Join(std::string_view folder, std::string_view name) {
  std::string path;
  path.reserve(folder.size() + 1 + name.size());
  path = folder;
  if (!path.ends_with('/')) path += '/';
  return path += name;
}
// Is `path` this folder or below it?
inline bool IsWithin(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) &&
         (path.size() == folder.size() || folder.ends_with('/') || path[folder.size()] == '/');
}

// "b.c" leaves "b", and "c" in `rest`; "b" leaves "b" and nothing.
inline std::string_view TakeFirst(std::string_view dotted, std::string_view* rest) {
  const std::size_t dot = dotted.find('.');
  *rest = dot == std::string_view::npos ? std::string_view{} : dotted.substr(dot + 1);
  return dotted.substr(0, dot);
}

}  // namespace torchleak::project
