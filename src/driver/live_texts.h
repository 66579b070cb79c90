// LiveTexts: the files of a LiveProject as its analysis reads them: what an editor holds is parsed
// already, the others are on disk.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "driver/file_texts.h"
#include "project/file_tree.h"

namespace torchleak::driver {

class LiveTexts final : public FileTexts {
 public:
  LiveTexts()
      : disk_(std::make_unique<project::DiskTree>()), overlay_(disk_.get()), locked_(&overlay_) {}

  // For import resolution; safe for several threads.
  project::FileTree* tree() { return &locked_; }

  // Between runs. `bytes` is what import resolution reads: of a notebook its JSON.
  void Put(const std::string& path, ParsedPtr parsed, std::string bytes, cache::Hash128 content);
  void Remove(const std::string& path);
  // What was read of a file on disk.
  void SetContent(const std::string& path, cache::Hash128 content);
  // The disk has changed: files may have come or gone.
  void ForgetDisk();

  ParsedPtr At(std::string_view path) const;  // of those put; null for what is no text

  text::Result<ParsedPtr> Open(const std::string& path, const std::string& display) override;
  cache::Hash128 ContentOf(const std::string& path) override;

 private:
  struct Held {
    ParsedPtr parsed;
    cache::Hash128 content;
  };

  std::unique_ptr<project::DiskTree> disk_;
  project::OverlayTree overlay_;
  project::LockedTree locked_;
  std::map<std::string, Held, std::less<>> held_;
  std::mutex mutex_;  // of contents_
  std::unordered_map<std::string, cache::Hash128> contents_;
};

}  // namespace torchleak::driver
