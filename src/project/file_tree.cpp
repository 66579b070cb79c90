#include "project/file_tree.h"

#include <dirent.h>
#include <sys/stat.h>

#include <cstdio>

#include "project/paths.h"
#include "text/read.h"
#include "text/source.h"

namespace torchleak::project {

const DiskTree::Listing& DiskTree::List(std::string_view directory) {
  if (const auto known = listings_.find(directory); known != listings_.end()) return known->second;
  Listing& listing = listings_[std::string(directory)];
  const std::string path(directory);
  DIR* stream = opendir(path.c_str());
  if (stream == nullptr) return listing;
  while (const dirent* entry = readdir(stream)) {
    const std::string_view name = entry->d_name;
    Kind kind = entry->d_type == DT_REG   ? Kind::kFile
                : entry->d_type == DT_DIR ? Kind::kDirectory
                                          : Kind::kOther;
    struct stat status {};
    // A link, or a file system that does not say.
    if ((entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN) &&
        stat(Join(path, name).c_str(), &status) == 0) {
      if (S_ISREG(status.st_mode)) kind = Kind::kFile;
      if (S_ISDIR(status.st_mode)) kind = Kind::kDirectory;
    }
    if (kind == Kind::kOther) continue;
    listing.holds_python |= kind == Kind::kFile && name.ends_with(".py");
    listing.entries.emplace(name, kind);
  }
  closedir(stream);
  return listing;
}

DiskTree::Kind DiskTree::KindOf(std::string_view path) {
  if (path == "/") return Kind::kDirectory;
  const Listing& listing = List(FolderOf(path));
  const auto entry = listing.entries.find(NameOf(path));
  return entry == listing.entries.end() ? Kind::kOther : entry->second;
}

bool DiskTree::IsFile(std::string_view path) { return KindOf(path) == Kind::kFile; }
bool DiskTree::IsDirectory(std::string_view path) { return KindOf(path) == Kind::kDirectory; }
bool DiskTree::HoldsPython(std::string_view directory) {
  return IsDirectory(directory) && List(directory).holds_python;
}

bool DiskTree::Read(std::string_view path, std::string* bytes) {
  bytes->clear();
  // What was a file when its folder was listed may be a pipe by now.
  if (!IsFile(path) || !text::IsRegularFile(std::string(path))) return false;
  std::FILE* file = std::fopen(std::string(path).c_str(), "rb");
  if (file == nullptr) return false;
  struct stat status {};
  bool whole = false;
  if (fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode) &&
      static_cast<std::size_t>(status.st_size) <= text::Source::MaxBytes(path)) {
    bytes->resize(static_cast<std::size_t>(status.st_size));
    bytes->resize(std::fread(bytes->data(), 1, bytes->size(), file));
    whole = std::ferror(file) == 0;
  }
  std::fclose(file);
  if (!whole) bytes->clear();
  return whole;
}

bool MemoryTree::IsDirectory(std::string_view path) {
  const std::string below = Join(path, "");
  const auto first = files_.lower_bound(below);
  return first != files_.end() && first->first.starts_with(below);
}

bool MemoryTree::HoldsPython(std::string_view directory) {
  const std::string below = Join(directory, "");
  for (auto it = files_.lower_bound(below); it != files_.end(); ++it) {
    if (!it->first.starts_with(below)) break;
    if (it->first.ends_with(".py") && FolderOf(it->first) == directory) return true;
  }
  return false;
}

bool MemoryTree::Read(std::string_view path, std::string* bytes) {
  bytes->clear();
  const auto file = files_.find(path);
  if (file == files_.end() || file->second.size() > text::Source::MaxBytes(path)) return false;
  *bytes = file->second;
  return true;
}

}  // namespace torchleak::project
