#include "driver/live_texts.h"

#include <utility>

namespace torchleak::driver {

void LiveTexts::Put(const std::string& path, ParsedPtr parsed, std::string bytes,
                    cache::Hash128 content) {
  overlay_.Put(path, std::move(bytes));
  held_[path] = {std::move(parsed), content};
}

void LiveTexts::Remove(const std::string& path) {
  overlay_.Remove(path);
  held_.erase(path);
}

void LiveTexts::SetContent(const std::string& path, cache::Hash128 content) {
  const std::lock_guard lock(mutex_);
  contents_[path] = content;
}

void LiveTexts::ForgetDisk() {
  disk_ = std::make_unique<project::DiskTree>();
  overlay_.Rebase(disk_.get());
  const std::lock_guard lock(mutex_);
  contents_.clear();
}

ParsedPtr LiveTexts::At(std::string_view path) const {
  const auto held = held_.find(path);
  return held == held_.end() ? nullptr : held->second.parsed;
}

text::Result<ParsedPtr> LiveTexts::Open(const std::string& path, const std::string& display) {
  if (const auto held = held_.find(path); held != held_.end()) {
    if (held->second.parsed == nullptr) return text::Error{"is no text"};
    return held->second.parsed;
  }
  return TreeTexts(&locked_).Open(path, display);
}

cache::Hash128 LiveTexts::ContentOf(const std::string& path) {
  if (const auto held = held_.find(path); held != held_.end()) return held->second.content;
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = contents_.find(path); known != contents_.end()) return known->second;
  }
  const cache::Hash128 content = TreeTexts(&locked_).ContentOf(path);
  SetContent(path, content);
  return content;
}

}  // namespace torchleak::driver
