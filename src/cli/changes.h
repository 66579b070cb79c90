// Changes: waits until something that matters to a check has changed on disk.
//
// Folders of the check are looked at for sources, settings and folders that come, go or change; the
// folders above them for settings and for the given paths alone. On Linux inotify tells; elsewhere,
// when its limits are reached, or when asked to (network file systems tell nothing), the folders
// are listed twice a second. A change counts from the last Watch() on, also while nobody waits:
// call Watch() before the check, and nothing that happens during the check is lost.
//
//   Changes changes(/*polls=*/false);
//   changes.Watch(watched);  … check …;  changes.Wait();
#pragma once

#include <csignal>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace torchleak::cli {

struct WatchedPaths {
  std::set<std::string> folders;  // absolute
  std::set<std::string> above;    // folders above those
  std::set<std::string> exact;    // files and folders that count wherever they are
  std::set<std::string> ignored;  // our own outputs
  // Is an entry of `folders` left out by the excludes?
  std::function<bool(const std::string& path)> excluded;
};

// Does a file of that name change what a check says? Sources, ignore files, configurations.
bool IsSourceOrSetting(std::string_view name);

// From construction to destruction SIGINT does not end the process but is kept for Wait(). Where it
// was ignored it stays so (a job in the background of a script).
class KeepInterrupts {
 public:
  KeepInterrupts();
  ~KeepInterrupts();
  KeepInterrupts(const KeepInterrupts&) = delete;
  KeepInterrupts& operator=(const KeepInterrupts&) = delete;

 private:
  struct sigaction before_ {};
  sigset_t mask_{};
};

class Changes {
 public:
  explicit Changes(bool polls);
  ~Changes();
  Changes(const Changes&) = delete;
  Changes& operator=(const Changes&) = delete;

  // Replaces what was watched.
  void Watch(WatchedPaths watched);
  // False: it lists the folders.
  bool is_told() const { return inotify_ >= 0; }

  enum class Wake : std::uint8_t { kChanged, kInterrupted, kOutputClosed };
  // Returns some time after the first change, when things have been quiet for a moment (a save is
  // several steps, a checkout thousands). The caller holds a KeepInterrupts.
  Wake Wait();
  // What woke it up.
  const std::set<std::string>& changed() const { return changed_; }

 private:
  // Size, times and inode of all that counts; what differs in two of them has changed.
  using Snapshot = std::map<std::string, std::string>;

  bool Matters(const std::string& folder, std::string_view name, bool is_folder) const;
  void WatchFolders();
  void TakeEvents();
  Snapshot List() const;
  void Compare();
  Wake WaitFor(int milliseconds, bool* something);

  WatchedPaths watched_;
  int inotify_ = -1;
  std::map<int, std::string> folder_of_;  // by watch descriptor
  Snapshot snapshot_;
  std::set<std::string> changed_;
};

}  // namespace torchleak::cli
