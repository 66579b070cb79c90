// CheckTrace: what one check saw of the disk, so that a later run can tell whether its result still
// stands. Filled by CheckFiles, kept and compared by cached_check.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cache/recording_tree.h"
#include "driver/check.h"

namespace torchleak::driver {

struct CheckTrace {
  struct File {
    std::string path;      // absolute
    bool readable = true;  // else `content` is the hash of the message
    cache::Hash128 content;
    std::uint64_t bytes = 0;
    bool parsed = false;
    bool quiet = true;        // see IsQuiet
    cache::Hash128 settings;  // see HashOfSettings
  };
  std::vector<File> files;                        // those of discovery, in its order
  std::vector<cache::Observation> seen;           // by the analysis of the project
  std::vector<std::string> roots;                 // of imports
  std::vector<std::string> tops;                  // those of the roots that are IsProjectTop
  std::map<std::string, cache::Hash128> below;    // folders looked through for users: their files
  std::map<std::string, cache::Hash128> sources;  // content of FindingSet::sources
  bool consistent = true;                         // false: a file changed while the check ran
};

// Check without a cache. `trace` may be null; with buffers it must be.
text::Result<FindingSet> CheckFiles(const CheckOptions& given, Discovery discovery,
                                    CheckTrace* trace);

// A file with these bytes adds nothing to a check but its size: it is not parsed, nothing is found
// in it, and nobody complains.
bool IsQuiet(const CheckOptions& options, const std::string& path, std::string_view bytes);

std::vector<std::string> GivenFolders(const CheckOptions& options);
// Of all that decides what is found in a file and how; zero when the options do.
cache::Hash128 HashOfSettings(const config::SettingsPtr& settings);
cache::Hash128 HashOfList(const std::vector<std::string>& paths);

}  // namespace torchleak::driver
