// Every Watch() asks for every folder again: inotify answers with the same descriptor for the same
// folder, so moved, deleted and recreated ones need no bookkeeping. Some hundreds of calls, once
// for each check.
#include "cli/changes.h"

#include <dirent.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#ifdef __linux__
#include <sys/inotify.h>
#endif

namespace torchleak::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void Interrupt(int) { interrupted = 1; }

std::string Join(const std::string& folder, std::string_view name) {
  return folder == "/" ? folder + std::string(name) : fmt::format("{}/{}", folder, name);
}

std::string StateOf(const std::string& path) {
  struct stat s {};
  if (stat(path.c_str(), &s) != 0) return {};
  // A folder's own times change with whatever happens in it, ours or not.
  if (S_ISDIR(s.st_mode)) return fmt::format("folder {}", s.st_ino);
#ifdef __APPLE__
  const struct timespec changed = s.st_ctimespec;
#else
  const struct timespec changed = s.st_ctim;
#endif
  return fmt::format("{} {} {}.{}", s.st_ino, s.st_size, changed.tv_sec, changed.tv_nsec);
}

// poll() during which the signals of `mask` alone are held back, and no other gap where one is
// lost.
int PollInterruptibly(struct pollfd* polled, int count, int milliseconds, const sigset_t& mask) {
  struct timespec time {
    milliseconds / 1000, milliseconds % 1000 * 1'000'000L
  };
  const struct timespec* limit = milliseconds < 0 ? nullptr : &time;
#ifdef __linux__
  return ppoll(polled, static_cast<nfds_t>(count), limit, &mask);
#else
  if (pselect(0, nullptr, nullptr, nullptr, limit, &mask) < 0) return -1;
  return poll(polled, static_cast<nfds_t>(count), 0);
#endif
}

}  // namespace

bool IsSourceOrSetting(std::string_view name) {
  if (name.starts_with(".#")) return false;  // the lock that Emacs puts beside a file
  return name.ends_with(".py") || name.ends_with(".pyi") || name.ends_with(".ipynb") ||
         name.ends_with(".toml") || name == ".gitignore" || name == ".ignore";
}

KeepInterrupts::KeepInterrupts() {
  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ours, &mask_);
  interrupted = 0;
  sigaction(SIGINT, nullptr, &before_);
  if (before_.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = Interrupt;
  sigaction(SIGINT, &action, nullptr);
}

KeepInterrupts::~KeepInterrupts() {
  sigaction(SIGINT, &before_, nullptr);
  pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
}

Changes::Changes([[maybe_unused]] bool polls) {
#ifdef __linux__
  if (!polls) inotify_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
#endif
}

Changes::~Changes() {
  if (inotify_ >= 0) close(inotify_);
}

void Changes::Watch(WatchedPaths watched) {
  watched_ = std::move(watched);
  if (inotify_ >= 0) WatchFolders();
  if (inotify_ < 0) snapshot_ = List();
}

void Changes::WatchFolders() {
#ifdef __linux__
  // IN_MODIFY is left out: a file is looked at when its writer has closed it.
  constexpr std::uint32_t kMask =
      IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_ONLYDIR;
  std::map<int, std::string> now;
  for (const std::set<std::string>* folders : {&watched_.above, &watched_.folders}) {
    for (const std::string& folder : *folders) {
      const int watch = inotify_add_watch(inotify_, folder.c_str(), kMask);
      if (watch >= 0) {
        now.insert_or_assign(watch, folder);
      } else if (errno == ENOSPC || errno == ENOMEM) {  // fs.inotify.max_user_watches
        close(inotify_);
        inotify_ = -1;
        folder_of_.clear();
        return;
      }  // else it went away or is closed to us; the folder above tells when that changes
    }
  }
  for (const auto& [watch, folder] : folder_of_) {
    if (!now.contains(watch)) inotify_rm_watch(inotify_, watch);
  }
  folder_of_ = std::move(now);
#endif
}

bool Changes::Matters(const std::string& folder, std::string_view name, bool is_folder) const {
  const std::string path = Join(folder, name);
  if (watched_.ignored.contains(path) || name == ".torchleak_cache") return false;  // our own
  if (watched_.exact.contains(path)) return true;
  if (!watched_.folders.contains(folder)) return !is_folder && name.ends_with(".toml");
  if (!is_folder && !IsSourceOrSetting(name)) return false;
  return !watched_.excluded || !watched_.excluded(path);
}

void Changes::TakeEvents() {
#ifdef __linux__
  alignas(struct inotify_event) std::array<char, 16'384> buffer;
  while (true) {
    const ssize_t size = read(inotify_, buffer.data(), buffer.size());
    if (size <= 0) return;
    for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
      struct inotify_event event {};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* name = buffer.data() + at + sizeof event;
      at += sizeof event + event.len;
      // The queue ran over: something changed, nobody knows what.
      if ((event.mask & IN_Q_OVERFLOW) != 0) changed_.insert("");
      auto folder = folder_of_.find(event.wd);
      if (folder == folder_of_.end() || event.len == 0) continue;
      if (Matters(folder->second, name, (event.mask & IN_ISDIR) != 0)) {
        changed_.insert(Join(folder->second, name));
      }
    }
  }
#endif
}

Changes::Snapshot Changes::List() const {
  Snapshot snapshot;
  for (const std::string& path : watched_.exact) snapshot.emplace(path, StateOf(path));
  for (const std::set<std::string>* folders : {&watched_.above, &watched_.folders}) {
    for (const std::string& folder : *folders) {
      DIR* entries = opendir(folder.c_str());
      if (entries == nullptr) continue;
      while (const struct dirent* entry = readdir(entries)) {
        const std::string_view name = entry->d_name;
        if (name == "." || name == "..") continue;
        if (!Matters(folder, name, entry->d_type == DT_DIR)) continue;
        std::string path = Join(folder, name);
        std::string state = StateOf(path);
        snapshot.emplace(std::move(path), std::move(state));
      }
      closedir(entries);
    }
  }
  return snapshot;
}

void Changes::Compare() {
  Snapshot now = List();
  for (const auto& [path, state] : now) {
    auto before = snapshot_.find(path);
    if (before == snapshot_.end() || before->second != state) changed_.insert(path);
  }
  for (const auto& [path, state] : snapshot_) {
    if (!now.contains(path)) changed_.insert(path);
  }
  snapshot_ = std::move(now);
}

// `something`: more has changed. kChanged when the time is over.
Changes::Wake Changes::WaitFor(int milliseconds, bool* something) {
  std::array<struct pollfd, 2> polled = {{{STDOUT_FILENO, 0, 0}, {inotify_, POLLIN, 0}}};
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  sigdelset(&mask, SIGINT);
  const int ready = PollInterruptibly(polled.data(), is_told() ? 2 : 1, milliseconds, mask);
  if (interrupted != 0) return Wake::kInterrupted;
  if (ready > 0 && (polled[0].revents & (POLLERR | POLLHUP)) != 0) return Wake::kOutputClosed;
  const std::size_t before = changed_.size();
  if (is_told()) {
    TakeEvents();
    *something = ready > 0 && (polled[1].revents & POLLIN) != 0;
  } else {
    Compare();
    *something = changed_.size() != before;
  }
  return Wake::kChanged;
}

Changes::Wake Changes::Wait() {
  constexpr int kListEvery = 500, kQuiet = 75;        // milliseconds
  constexpr auto kLongest = std::chrono::seconds(3);  // a writer that never rests
  changed_.clear();
  bool something = false;
  while (changed_.empty()) {
    Wake wake = WaitFor(is_told() ? -1 : kListEvery, &something);
    if (wake != Wake::kChanged) return wake;
  }
  const auto until = std::chrono::steady_clock::now() + kLongest;
  do {
    Wake wake = WaitFor(kQuiet, &something);
    if (wake != Wake::kChanged) return wake;
  } while (something && std::chrono::steady_clock::now() < until);
  return Wake::kChanged;
}

}  // namespace torchleak::cli
