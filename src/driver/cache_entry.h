// CacheEntry: what a check leaves in the cache, and its bytes.
//
//   auto entry = MakeEntry(options, discovery.notifications, std::move(trace), set);
//   store.Save(KeyOf(options), Packed(*entry));
//   …
//   std::optional<CacheEntry> later = Unpacked(bytes, options);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/hash.h"
#include "driver/check_trace.h"

namespace torchleak::driver {

struct CacheEntry {
  struct File {
    CheckTrace::File file;
    bool needed = false;  // its content counts: it is not quiet, or the project reads it
  };
  std::vector<File> files;               // by path
  std::vector<Notification> complaints;  // of discovery
  CheckTrace trace;                      // its `files` are empty
  FindingSet set;                        // without what can be had from the files
};

// Of this program and all options that change a result.
cache::Hash128 KeyOf(const CheckOptions& options);

// Fails when the result must not be used again, and says why.
text::Result<CacheEntry> MakeEntry(const CheckOptions& options,
                                   std::vector<Notification> complaints, CheckTrace trace,
                                   const FindingSet& set);

std::string Packed(const CacheEntry& entry);
// Nothing when these bytes are no entry. Findings refer to the rules of this program again.
std::optional<CacheEntry> Unpacked(std::string_view bytes, const CheckOptions& options);

}  // namespace torchleak::driver
