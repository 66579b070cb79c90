// ReplaceFiles: new bytes for files, whole or not at all, whatever happens meanwhile.
//
// The new bytes go to `.torchleak-XXXXXX.tmp` in the file's own folder and are flushed to the disk;
// then that file is renamed over the old one. So whoever looks, and whatever is killed, sees the
// old or the new file. Kept are mode, owner, group and, where the file system allows, extended
// attributes. A symbolic link stays: what it points to is replaced. Another hard link of the file
// keeps the old bytes.
//
//   std::vector<FileChange> changes = {{"/repo/train.py", old_bytes, new_bytes}};
//   if (auto error = ReplaceFiles(changes)) Tell(error->path, error->message);
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace torchleak::driver {

struct FileChange {
  std::string path;    // absolute
  std::string before;  // what was read
  std::string after;
};

struct ReplaceError {
  std::string path;
  std::string message;  // why, and that nothing was changed
};

// All files are prepared before the first is renamed: when that fails for one of them, none is
// changed. Refused are files whose bytes are no longer `before` (a file that is `after` already
// counts as done), that nobody may write to, and whose owner could not be kept.
std::optional<ReplaceError> ReplaceFiles(std::span<const FileChange> changes);

// Removes what a killed run left in these folders; temporary files of runs that are still alive
// stay. Returns how many.
std::size_t RemoveLeftovers(std::span<const std::string> folders);

}  // namespace torchleak::driver
