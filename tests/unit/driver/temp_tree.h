// A folder of files that exists as long as the object.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace torchleak::driver {

class TempTree {
 public:
  TempTree() {
    std::string name = (std::filesystem::temp_directory_path() / "torchleak-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) abort();
    // Temporary folders may be links themselves (macOS): paths are compared as the driver sees
    // them.
    root_ = std::filesystem::canonical(name);
  }
  ~TempTree() {
    std::error_code error;
    std::filesystem::remove_all(root_, error);
  }
  TempTree(const TempTree&) = delete;
  TempTree& operator=(const TempTree&) = delete;

  std::string root() const { return root_.string(); }
  std::string Path(std::string_view relative) const { return (root_ / relative).string(); }

  void Write(std::string_view relative, std::string_view bytes = "") const {
    std::filesystem::create_directories((root_ / relative).parent_path());
    std::ofstream(root_ / relative, std::ios::binary) << bytes;
  }
  void Remove(std::string_view relative) const { std::filesystem::remove(root_ / relative); }
  void MakeFolder(std::string_view relative) const {
    std::filesystem::create_directories(root_ / relative);
  }
  void Link(std::string_view target, std::string_view relative) const {
    std::filesystem::create_symlink(target, root_ / relative);
  }

 private:
  std::filesystem::path root_;
};

}  // namespace torchleak::driver
