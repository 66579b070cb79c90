// A line on standard error that tells how far a long run is. Owns one thread, which draws at most
// ten times a second; the line is gone when Stop() returns, so that whatever is printed next finds
// the terminal as it was.
//
//   driver::Progress progress;
//   ProgressLine line(&progress, ProgressLine::Wanted(choice, quiet));
//   … the run …
//   line.Stop();                    // before anything is printed; the destructor does it as well
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "driver/progress.h"

namespace torchleak::cli {

enum class ProgressMode { kNever, kAfterASecond, kAtOnce };

// `given`: --progress or --no-progress. Never when standard error is no terminal, or a dumb one,
// and never with --quiet or --silent; without `given` not in continuous integration either (CI is
// set).
ProgressMode WantedProgress(std::optional<bool> given, bool quiet);

class ProgressLine {
 public:
  ProgressLine(const driver::Progress* progress, ProgressMode mode);
  ~ProgressLine() { Stop(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void Stop();

 private:
  void Draw();
  void Loop(ProgressMode mode);

  const driver::Progress* progress_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false, drawn_ = false;
  std::thread thread_;
};

// "checking  [=====     ]  1200/2400 files", at most `width` columns.
std::string ProgressText(driver::Progress::Phase phase, std::size_t done, std::size_t total,
                         std::size_t width);

}  // namespace torchleak::cli
