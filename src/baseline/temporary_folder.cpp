#include "baseline/temporary_folder.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace torchleak::baseline {
namespace {

namespace fs = std::filesystem;

constexpr int kWake = SIGUSR2;  // sent by the destructor to the thread that waits

bool IsIgnored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

text::Result<std::unique_ptr<TemporaryFolder>> TemporaryFolder::Make() {
  std::error_code error;
  fs::path base = fs::canonical(fs::temp_directory_path(error), error);
  if (error) base = "/tmp";
  std::string name = (base / "torchleak-XXXXXX").string();
  std::unique_ptr<TemporaryFolder> folder(new TemporaryFolder());
  folder->BlockSignals();  // before there is anything to leave behind
  if (mkdtemp(name.data()) == nullptr) {
    const int code = errno;
    pthread_sigmask(SIG_SETMASK, &folder->before_, nullptr);
    return text::Error{
        fmt::format("no temporary folder can be made in {}: {}; TMPDIR names another",
                    base.string(), std::generic_category().message(code))};
  }
  folder->path_ = std::move(name);
  try {
    folder->waiter_ = std::thread([waiter = folder.get()] { waiter->Wait(); });
  } catch (const std::system_error&) {
    // No thread to be had: signals wait until the destructor has removed the folder.
  }
  return folder;
}

void TemporaryFolder::BlockSignals() {
  sigemptyset(&watched_);
  sigaddset(&watched_, kWake);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!IsIgnored(signal)) sigaddset(&watched_, signal);  // nohup means it
  }
  pthread_sigmask(SIG_BLOCK, &watched_, &before_);
}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  if (waiter_.joinable()) {
    done_ = true;
    pthread_kill(waiter_.native_handle(), kWake);
    waiter_.join();
  }
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  // What arrived meanwhile is delivered here.
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void TemporaryFolder::Wait() {
  int signal = 0;
  while (sigwait(&watched_, &signal) != 0) continue;
  if (signal == kWake && done_) return;
  mutex_.lock();
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  struct sigaction as_before {};
  as_before.sa_handler = SIG_DFL;
  sigaction(signal, &as_before, nullptr);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  raise(signal);
}

std::string TemporaryFolder::Parent(std::string_view relative) const {
  const fs::path target = fs::path(path_) / relative;
  std::error_code error;
  fs::create_directories(target.parent_path(), error);
  return target.string();
}

bool TemporaryFolder::Write(std::string_view relative, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  std::FILE* file = std::fopen(Parent(relative).c_str(), "wbxe");
  if (file == nullptr) return false;
  const bool written =
      bytes.empty() || std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return std::fclose(file) == 0 && written;
}

bool TemporaryFolder::Link(std::string_view relative, const std::string& target) {
  const std::lock_guard lock(mutex_);
  std::error_code error;
  fs::create_symlink(target, Parent(relative), error);
  errno = error.value();
  return !error;
}

}  // namespace torchleak::baseline
