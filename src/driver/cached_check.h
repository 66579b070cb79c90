// CachedCheck: a check whose result is kept on disk, and taken from there while it still stands.
//
// A result depends on the whole project: on what files import, and on who calls them. Rather than
// to follow that, an entry holds everything that its check saw: the content of each file, and each
// question that import resolution asked of the disk, with the answer. A later run asks the same
// questions again. When all answers are equal, so is the result, by construction; and to read and
// hash a file costs a hundredth of analysing it.
//
//   whole tree unchanged             the entry's result
//   a file changed, came or went     the same, when no rule can fire in it, nothing imports it, and
//                                    it cannot matter for a fix who uses what
//   anything else                    everything is checked again
//
// The key of an entry is a hash of this program and of the options.
#pragma once

#include <string>

#include "driver/check.h"

namespace torchleak::driver {

// As CheckFiles, with options.cache_dir. FindingSet::cache says what the cache did.
text::Result<FindingSet> CachedCheck(const CheckOptions& options);

// Where the cache of a run lies when nobody says: .torchleak_cache at the top of the project that
// holds the first path, else the working directory; when neither is in a project, in the working
// directory.
std::string DefaultCacheFolder(const std::vector<std::string>& paths, const std::string& root);

}  // namespace torchleak::driver
