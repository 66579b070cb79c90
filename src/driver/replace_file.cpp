// A temporary file is locked (flock) for as long as its process lives, which is how one that was
// left behind is told from one that is in use.
#include "driver/replace_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "text/read.h"

#ifdef __linux__
#include <sys/xattr.h>
#endif

namespace torchleak::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = ".torchleak-";
constexpr std::string_view kSuffix = ".tmp";

std::string Reason(int code) { return std::generic_category().message(code); }

bool WriteFully(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Access lists, labels. Best effort: what a file system or the system refuses is left out.
void CopyAttributes(const std::string& from, int to) {
#ifdef __linux__
  const ssize_t size = listxattr(from.c_str(), nullptr, 0);
  if (size <= 0) return;
  std::string names(static_cast<std::size_t>(size), '\0');
  const ssize_t got = listxattr(from.c_str(), names.data(), names.size());
  for (std::size_t at = 0; got > 0 && at < static_cast<std::size_t>(got);) {
    const std::string name = names.c_str() + at;
    at += name.size() + 1;
    const ssize_t length = getxattr(from.c_str(), name.c_str(), nullptr, 0);
    if (length < 0) continue;
    std::string value(static_cast<std::size_t>(length), '\0');
    if (getxattr(from.c_str(), name.c_str(), value.data(), value.size()) == length) {
      static_cast<void>(fsetxattr(to, name.c_str(), value.data(), value.size(), 0));
    }
  }
#else
  static_cast<void>(from), static_cast<void>(to);
#endif
}

// One file's new bytes beside the old ones; gone again unless renamed.
class Prepared {
 public:
  explicit Prepared(const FileChange& change) : change_(&change) {}
  Prepared(Prepared&& other) noexcept
      : change_(other.change_),
        target_(std::move(other.target_)),
        temporary_(std::exchange(other.temporary_, {})),
        fd_(std::exchange(other.fd_, -1)) {}
  Prepared& operator=(Prepared&&) = delete;
  ~Prepared() {
    if (!temporary_.empty()) unlink(temporary_.c_str());
    if (fd_ >= 0) close(fd_);
  }

  const FileChange& change() const { return *change_; }
  bool SameTarget(const Prepared& other) const { return target_ == other.target_; }
  void LeaveOut() { done_ = true; }

  // Each of these returns why not, or nothing.
  std::string Write() {
    std::error_code error;
    target_ = fs::canonical(change_->path, error).string();
    if (error) return "cannot be written: " + error.message();
    struct stat info {};
    if (stat(target_.c_str(), &info) != 0) return "cannot be written: " + Reason(errno);
    // A rename would get past both.
    constexpr mode_t kAnyWrite = S_IWUSR | S_IWGRP | S_IWOTH;
    if ((info.st_mode & kAnyWrite) == 0 || access(target_.c_str(), W_OK) != 0) {
      return "is read-only, so it was not changed; `chmod u+w` allows it";
    }
    if (std::string why = Create(); !why.empty()) return why;
    if (!WriteFully(fd_, change_->after)) return NotWritten(errno);
    if (fchown(fd_, info.st_uid, info.st_gid) != 0) {
      return "belongs to another user or group, which could not be kept; it was not changed";
    }
    if (fchmod(fd_, info.st_mode & 07777) != 0) return NotWritten(errno);
    CopyAttributes(target_, fd_);
    if (fsync(fd_) != 0) return NotWritten(errno);
    return {};
  }

  // Is the file still as it was read?
  std::string Compare() {
    std::string now;
    text::ReadError error;
    if (!text::ReadInto(target_, change_->before.size() + change_->after.size() + 1, &now,
                        &error)) {
      if (!error.too_large) return "cannot be read any more: " + error.message;
    } else if (now == change_->before) {
      return {};
    } else if (now == change_->after) {  // under another name, through a link
      LeaveOut();
      return {};
    }
    return "was changed by someone else since it was read, so it was not touched; run again";
  }

  std::string Rename() {
    if (done_) return {};
    if (rename(temporary_.c_str(), target_.c_str()) != 0) return NotWritten(errno);
    temporary_.clear();
    return {};
  }

 private:
  std::string Create() {
    const std::string folder = fs::path(target_).parent_path().string();
    while (true) {
      std::string name = fmt::format("{}/{}XXXXXX{}", folder, kPrefix, kSuffix);
      fd_ = mkostemps(name.data(), static_cast<int>(kSuffix.size()), O_CLOEXEC);
      if (fd_ < 0) return fmt::format("cannot be written: {}: {}", folder, Reason(errno));
      temporary_ = std::move(name);
      // Who cleans up may hold the lock for a moment, and have removed the file by then.
      while (flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
      }
      struct stat info {};
      if (fstat(fd_, &info) == 0 && info.st_nlink > 0) return {};
      close(fd_);
    }
  }

  static std::string NotWritten(int code) {
    return fmt::format("cannot be written: {}; it is as before", Reason(code));
  }

  const FileChange* change_;
  std::string target_, temporary_;
  int fd_ = -1;
  bool done_ = false;
};

// Back to the old bytes; for a group of which not all could be renamed.
void Undo(std::span<const Prepared> renamed) {
  for (const Prepared& file : renamed) {
    const FileChange back{file.change().path, file.change().after, file.change().before};
    Prepared again(back);
    if (again.Write().empty() && again.Compare().empty()) again.Rename();
  }
}

}  // namespace

std::optional<ReplaceError> ReplaceFiles(std::span<const FileChange> changes) {
  std::vector<Prepared> files;
  files.reserve(changes.size());
  for (const FileChange& change : changes) {
    files.emplace_back(change);
    if (std::string why = files.back().Write(); !why.empty()) {
      return ReplaceError{change.path, std::move(why)};
    }
  }
  // Two names of one file: it is renamed once, and only one text can be right.
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (!files[i].SameTarget(files[k])) continue;
      if (changes[i].after != changes[k].after) {
        return ReplaceError{changes[i].path,
                            "is also checked as " + changes[k].path +
                                ", with other fixes, so it was not changed; check one of them"};
      }
      files[i].LeaveOut();
    }
  }
  for (Prepared& file : files) {
    if (std::string why = file.Compare(); !why.empty()) {
      return ReplaceError{file.change().path, std::move(why)};
    }
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::string why = files[i].Rename();
    if (why.empty()) continue;
    Undo(std::span(files).first(i));
    return ReplaceError{files[i].change().path, std::move(why)};
  }
  return std::nullopt;
}

std::size_t RemoveLeftovers(std::span<const std::string> folders) {
  std::size_t removed = 0;
  for (const std::string& folder : folders) {
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      const std::string name = it->path().filename().string();
      if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) continue;
      const int fd = open(it->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
      if (fd < 0) continue;
      struct stat info {};
      const bool ours = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
      if (ours && flock(fd, LOCK_EX | LOCK_NB) == 0 && unlink(it->path().c_str()) == 0) ++removed;
      close(fd);
    }
  }
  return removed;
}

}  // namespace torchleak::driver
