// FileTree: the files of a project as import resolution asks for them.
//
// Paths are absolute, lexically normal, with '/'. Answers may be kept for the life of the tree:
// what changes on disk meanwhile is not seen. One thread at a time.
//
//   DiskTree disk;
//   OverlayTree tree(&disk);           // with what an editor holds
//   tree.Put("/repo/a.py", "import b");
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "project/string_hash.h"

namespace torchleak::project {

class FileTree {
 public:
  virtual ~FileTree() = default;
  virtual bool IsFile(std::string_view path) = 0;
  virtual bool IsDirectory(std::string_view path) = 0;
  // Does this directory itself hold a *.py file?
  virtual bool HoldsPython(std::string_view directory) = 0;
  // False when it cannot be read, or has more than text::Source::MaxBytes: nobody will parse it
  // either.
  virtual bool Read(std::string_view path, std::string* bytes) = 0;
};

// The disk. Each directory is listed once, when something in it is first asked for: a few system
// calls for each directory instead of a dozen for each import. Symbolic links are followed.
class DiskTree : public FileTree {
 public:
  bool IsFile(std::string_view path) override;
  bool IsDirectory(std::string_view path) override;
  bool HoldsPython(std::string_view directory) override;
  bool Read(std::string_view path, std::string* bytes) override;

 private:
  enum class Kind : char { kOther, kFile, kDirectory };
  struct Listing {
    StringMap<Kind> entries;
    bool holds_python = false;
  };
  const Listing& List(std::string_view directory);
  Kind KindOf(std::string_view path);

  StringMap<Listing> listings_;
};

// Files by hand: for tests, and below an OverlayTree for a run on buffers alone. Directories are
// those that the files need.
class MemoryTree : public FileTree {
 public:
  void Put(std::string_view path, std::string bytes) {
    files_[std::string(path)] = std::move(bytes);
  }
  void Remove(std::string_view path) { files_.erase(std::string(path)); }

  bool IsFile(std::string_view path) override { return files_.contains(path); }
  bool IsDirectory(std::string_view path) override;
  bool HoldsPython(std::string_view directory) override;
  bool Read(std::string_view path, std::string* bytes) override;

 private:
  std::map<std::string, std::string, std::less<>> files_;
};

// Buffers over another tree, which they hide or add to.
class OverlayTree : public FileTree {
 public:
  explicit OverlayTree(FileTree* below) : below_(below) {}  // not owned
  void Put(std::string_view path, std::string bytes) { buffers_.Put(path, std::move(bytes)); }
  void Remove(std::string_view path) { buffers_.Remove(path); }
  void Rebase(FileTree* below) { below_ = below; }

  bool IsFile(std::string_view path) override {
    return buffers_.IsFile(path) || (!buffers_.IsDirectory(path) && below_->IsFile(path));
  }
  bool IsDirectory(std::string_view path) override {
    return buffers_.IsDirectory(path) || (!buffers_.IsFile(path) && below_->IsDirectory(path));
  }
  bool HoldsPython(std::string_view directory) override {
    return buffers_.HoldsPython(directory) || below_->HoldsPython(directory);
  }
  bool Read(std::string_view path, std::string* bytes) override {
    return buffers_.Read(path, bytes) || (!buffers_.IsFile(path) && below_->Read(path, bytes));
  }

 private:
  FileTree* below_;
  MemoryTree buffers_;
};

// Another tree, for several threads at a time.
class LockedTree : public FileTree {
 public:
  explicit LockedTree(FileTree* below) : below_(below) {}  // not owned

  bool IsFile(std::string_view path) override {
    const std::lock_guard lock(mutex_);
    return below_->IsFile(path);
  }
  bool IsDirectory(std::string_view path) override {
    const std::lock_guard lock(mutex_);
    return below_->IsDirectory(path);
  }
  bool HoldsPython(std::string_view directory) override {
    const std::lock_guard lock(mutex_);
    return below_->HoldsPython(directory);
  }
  bool Read(std::string_view path, std::string* bytes) override {
    const std::lock_guard lock(mutex_);
    return below_->Read(path, bytes);
  }

 private:
  std::mutex mutex_;
  FileTree* below_;
};

}  // namespace torchleak::project
