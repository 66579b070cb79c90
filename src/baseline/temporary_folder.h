// TemporaryFolder: a folder of files that is gone with the object, and also when the process is
// interrupted (SIGINT, SIGTERM, SIGHUP): a thread of its own waits for these, removes the folder,
// and lets the signal end the process as it would have.
//
// Made before other threads are: they inherit that the signals are not theirs. One at a time.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "text/result.h"

namespace torchleak::baseline {

class TemporaryFolder {
 public:
  static text::Result<std::unique_ptr<TemporaryFolder>> Make();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }  // absolute, without links
  // Makes the folders that it needs. `relative` must stay below. False with errno set.
  bool Write(std::string_view relative, std::string_view bytes);
  bool Link(std::string_view relative, const std::string& target);

 private:
  TemporaryFolder() = default;
  void BlockSignals();
  void Wait();
  std::string Parent(std::string_view relative) const;

  std::string path_;
  std::mutex mutex_;  // held for good by the one that removes
  std::atomic<bool> done_ = false;
  sigset_t watched_ = {}, before_ = {};
  std::thread waiter_;
};

}  // namespace torchleak::baseline
