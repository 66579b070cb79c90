#include "lsp/transport.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace torchleak::lsp {

FdTransport::FdTransport(int in, int out) : in_(in), out_(out) {
  if (::pipe2(wake_, O_CLOEXEC) != 0) wake_[0] = wake_[1] = -1;
}

FdTransport::~FdTransport() {
  for (const int fd : wake_) {
    if (fd >= 0) ::close(fd);
  }
}

void FdTransport::Close() {
  const char byte = 0;
  while (wake_[1] >= 0 && ::write(wake_[1], &byte, 1) < 0 && errno == EINTR) {
  }
}

bool FdTransport::WaitForInput() const {
  std::array<pollfd, 2> fds = {{{in_, POLLIN, 0}, {wake_[0], POLLIN, 0}}};
  while (true) {
    if (::poll(fds.data(), fds.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return true;  // read() says what is wrong
    }
    return fds[1].revents == 0;
  }
}

std::optional<Frame> FdTransport::Read() {
  std::array<char, 1 << 16> bytes{};
  while (true) {
    if (auto frame = reader_.Next()) return frame;
    if (has_ended_ || !WaitForInput()) return std::nullopt;
    const ssize_t count = ::read(in_, bytes.data(), bytes.size());
    if (count > 0) {
      reader_.Feed({bytes.data(), static_cast<std::size_t>(count)});
    } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
      has_ended_ = true;
      reader_.Finish();
    }
  }
}

bool FdTransport::Write(std::string_view json) {
  const std::lock_guard lock(write_mutex_);
  const std::string frame = Framed(json);
  std::string_view left = frame;
  while (!left.empty()) {
    const ssize_t count = ::write(out_, left.data(), left.size());
    if (count >= 0) {
      left.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {  // somebody set the pipe so
      pollfd fd = {out_, POLLOUT, 0};
      ::poll(&fd, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

void MemoryTransport::Feed(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  reader_.Feed(bytes);
  changed_.notify_all();
}

void MemoryTransport::End() {
  const std::lock_guard lock(mutex_);
  reader_.Finish();
  has_ended_ = true;
  changed_.notify_all();
}

std::vector<std::string> MemoryTransport::TakeWritten() {
  const std::lock_guard lock(mutex_);
  return std::exchange(written_, {});
}

void MemoryTransport::BreakOutput() {
  const std::lock_guard lock(mutex_);
  is_output_broken_ = true;
}

std::optional<Frame> MemoryTransport::Read() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (auto frame = reader_.Next()) return frame;
    if (has_ended_) return std::nullopt;
    changed_.wait(lock);
  }
}

bool MemoryTransport::Write(std::string_view json) {
  const std::lock_guard lock(mutex_);
  if (!is_output_broken_) written_.emplace_back(json);
  return !is_output_broken_;
}

}  // namespace torchleak::lsp
