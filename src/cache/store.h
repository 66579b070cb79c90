// Store: entries in a folder, each a file named by its key.
//
//   .torchleak_cache/
//     CACHEDIR.TAG   the mark by which backup programs know a cache, and a line that says it is
//     ours .gitignore     * <key>.tlk      first line, key, bytes, hash of all that
//
// Any number of processes may use a folder at once: an entry is written beside its place and
// renamed, and what was cut short, damaged, or written by another version is as if it were not
// there. A folder that holds other things and no tag of ours is never written to: `--cache-dir .`
// must not put a .gitignore into a project. Nothing here fails a run.
//
//   Store store("/repo/.torchleak_cache");
//   if (auto bytes = store.Load(key)) …
//   std::string why = store.Save(key, bytes);   // empty: saved
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/hash.h"

namespace torchleak::cache {

inline constexpr std::string_view kFolderName = ".torchleak_cache";

struct Limits {  // the oldest entries make room
  std::uint64_t bytes = std::uint64_t{64} << 20;
  std::size_t entries = 64;
};

class Store {
 public:
  explicit Store(std::string folder, Limits limits = {});  // absolute; need not exist

  // Marks the entry as used.
  std::optional<std::string> Load(const Hash128& key) const;
  // Says why it could not be saved, else empty.
  std::string Save(const Hash128& key, std::string_view bytes) const;

 private:
  std::string PathOf(const Hash128& key) const;
  std::string Prepare() const;
  void Evict(const std::string& keep) const;

  std::string folder_;
  Limits limits_;
};

// Is there a tag of ours in it?
bool IsCache(const std::string& folder);

struct Cleaned {
  std::vector<std::string> removed;   // folders
  std::vector<std::string> problems;  // "<folder>: why it is still there"
};
// Removes the caches at and below `folder`. Links are not followed; files that are not ours stay,
// and with them their folder.
Cleaned Clean(const std::string& folder);

}  // namespace torchleak::cache
