// The thread sleeps on a condition variable, so Stop() never waits for the next drawing.
#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "cli/terminal.h"

namespace torchleak::cli {
namespace {

constexpr std::string_view kClear = "\r\x1b[K";

std::string_view What(driver::Progress::Phase phase) {
  using Phase = driver::Progress::Phase;
  switch (phase) {
    case Phase::kFinding:
      return "looking for files";
    case Phase::kReading:
      return "reading";
    case Phase::kAnalyzing:
      return "analysing";
    case Phase::kJoining:
      return "joining files";
  }
  return {};
}

}  // namespace

ProgressMode WantedProgress(std::optional<bool> given, bool quiet) {
  if (!given.value_or(true) || quiet || !IsLiveTerminal(STDERR_FILENO)) {
    return ProgressMode::kNever;
  }
  if (given) return ProgressMode::kAtOnce;
  const char* ci = std::getenv("CI");
  return ci != nullptr && *ci != '\0' ? ProgressMode::kNever : ProgressMode::kAfterASecond;
}

std::string ProgressText(driver::Progress::Phase phase, std::size_t done, std::size_t total,
                         std::size_t width) {
  constexpr std::size_t kBar = 24;
  std::string text(What(phase));
  if (total > 0) {
    done = std::min(done, total);  // the two are not read at the same moment
    std::size_t filled = kBar * done / total;
    std::string bar = std::string(filled, '=') + std::string(kBar - filled, ' ');
    std::string count = fmt::format("{}/{}", done, total);
    std::string whole = fmt::format("{:<13} [{}] {}", text, bar, count);
    text = whole.size() <= width ? whole : text + ' ' + count;
  }
  return text.substr(0, width);
}

ProgressLine::ProgressLine(const driver::Progress* progress, ProgressMode mode)
    : progress_(progress) {
  if (mode == ProgressMode::kNever) return;
  if (mode == ProgressMode::kAtOnce) Draw();  // even a run that ends at once has shown it
  // Signals belong to the main thread: an interrupt must not end up here.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this, mode] { Loop(mode); });
  } catch (const std::system_error&) {
    // No thread to be had: the run matters more.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void ProgressLine::Draw() {
  // In the background (`torchleak check &`) the terminal belongs to somebody else.
  const pid_t owner = tcgetpgrp(STDERR_FILENO);  // -1: not the terminal of this session
  if (owner != -1 && owner != getpgrp()) return;
  // A column is left free: a full line would wrap on some terminals.
  std::size_t width = TerminalWidth(STDERR_FILENO) - 1;
  std::string text = ProgressText(progress_->phase(), progress_->done(), progress_->total(), width);
  WriteAll(STDERR_FILENO, std::string(kClear) + text);
  drawn_ = true;
}

void ProgressLine::Loop(ProgressMode mode) {
  using namespace std::chrono_literals;
  std::unique_lock lock(mutex_);
  if (mode == ProgressMode::kAfterASecond &&
      stopped_.wait_for(lock, 1s, [this] { return stop_; })) {
    return;
  }
  while (!stop_) {
    Draw();
    stopped_.wait_for(lock, 100ms, [this] { return stop_; });
  }
}

void ProgressLine::Stop() {
  {
    const std::lock_guard lock(mutex_);
    if (stop_) return;
    stop_ = true;
  }
  stopped_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (drawn_) WriteAll(STDERR_FILENO, kClear);
}

}  // namespace torchleak::cli
