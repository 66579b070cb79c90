#include "driver/fix_files.h"

#include <utility>

#include "text/read.h"

namespace torchleak::driver {

const Buffer* FixFiles::BufferAt(const std::string& absolute) const {
  for (const Buffer& buffer : options_.buffers) {
    if (AbsolutePath(buffer.path, options_.root) == absolute) return &buffer;
  }
  return nullptr;
}

bool FixFiles::IsChecked(const std::string& absolute) {
  if (!checked_) {
    checked_.emplace();
    for (DiscoveredFile& file : Discover(DiscoveryPart(options_)).files) {
      checked_->insert(std::move(file.path));
    }
  }
  return checked_->contains(absolute);
}

text::Result<const fix::Document*> FixFiles::Current(const std::string& path,
                                                     const FindingSet& seen) {
  if (auto it = current_.find(path); it != current_.end()) return &it->second;
  const std::string absolute = AbsolutePath(path, options_.root);
  std::string bytes;
  if (const Buffer* buffer = BufferAt(absolute)) {
    bytes = buffer->bytes;
  } else if (!IsChecked(absolute)) {
    return text::Error{"it changes " + path + ", too, which is not among the checked files"};
  } else {
    auto read = text::ReadFile(absolute);
    if (!read) return read.error();
    bytes = std::move(*read);
  }
  auto document = fix::Document::FromBytes(path, std::move(bytes));
  if (!document) return document.error();
  const text::Source* source = seen.SourceOf(path);
  if (source != nullptr && source->bytes() != document->source().bytes()) {
    return text::Error{path + " was changed by someone else since it was read; run again"};
  }
  return &current_.emplace(path, std::move(*document)).first->second;
}

CheckOptions FixFiles::Overlay(const Documents& trial) const {
  CheckOptions options = options_;
  std::map<std::string, const std::string*> bytes;  // by absolute path
  for (const auto& [path, original] : originals_) {
    bytes[AbsolutePath(path, options.root)] = &current_.at(path).raw();
  }
  for (const auto& [path, document] : trial) {
    bytes[AbsolutePath(path, options.root)] = &document.raw();
  }
  for (Buffer& buffer : options.buffers) {
    const auto it = bytes.find(AbsolutePath(buffer.path, options.root));
    if (it == bytes.end()) continue;
    buffer.bytes = *it->second;
    bytes.erase(it);
  }
  for (const auto& [absolute, raw] : bytes) options.buffers.push_back({absolute, *raw});
  return options;
}

void FixFiles::Take(Documents accepted) {
  for (auto& [path, document] : accepted) {
    originals_.try_emplace(path, current_.at(path));
    current_.insert_or_assign(path, std::move(document));
  }
}

std::vector<FixedFile> FixFiles::Changed() const {
  std::vector<FixedFile> files;
  for (const auto& [path, original] : originals_) {
    const fix::Document& now = current_.at(path);
    if (now.raw() == original.raw()) continue;
    std::string absolute = AbsolutePath(path, options_.root);
    const bool is_buffer = BufferAt(absolute) != nullptr;
    files.push_back({path, std::move(absolute), is_buffer, original, now, {}, files.size()});
  }
  return files;
}

}  // namespace torchleak::driver
