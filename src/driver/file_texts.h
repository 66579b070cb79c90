// FileTexts: where the analysis of a project takes its texts from: the disk, or an editor that has
// them parsed already.
//
// Safe to ask from several threads.
#pragma once

#include <string>

#include "cache/hash.h"
#include "driver/parsed.h"
#include "project/file_tree.h"
#include "text/result.h"

namespace torchleak::driver {

class FileTexts {
 public:
  virtual ~FileTexts() = default;
  // `display` is how findings spell the path. Fails when it is no text or cannot be read.
  virtual text::Result<ParsedPtr> Open(const std::string& path, const std::string& display) = 0;
  // Stands for the content of the file; asked for only when there is a memo.
  virtual cache::Hash128 ContentOf(const std::string& path) = 0;
};

// Reads and parses a file each time. The tree is one for several threads (project::LockedTree).
class TreeTexts final : public FileTexts {
 public:
  explicit TreeTexts(project::FileTree* tree) : tree_(tree) {}
  text::Result<ParsedPtr> Open(const std::string& path, const std::string& display) override;
  cache::Hash128 ContentOf(const std::string& path) override;

 private:
  project::FileTree* tree_;
};

}  // namespace torchleak::driver
