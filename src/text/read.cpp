#include "text/read.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "text/source.h"

namespace torchleak::text {
namespace {

constexpr std::size_t kChunk = std::size_t{64} << 10;

bool Fail(ReadError* error, int code) {
  *error = {std::generic_category().message(code), false, code};
  return false;
}

bool TooLarge(ReadError* error, std::size_t limit) {
  *error = {fmt::format("file is too large: the limit is {} MiB", limit >> 20), true, EFBIG};
  return false;
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

bool ReadDescriptor(int fd, std::size_t limit, std::string* buffer, ReadError* error) {
  struct stat info {};
  if (fstat(fd, &info) != 0) return Fail(error, errno);
  if (S_ISDIR(info.st_mode)) return Fail(error, EISDIR);
  auto size = static_cast<std::size_t>(std::max<off_t>(info.st_size, 0));
  if (S_ISREG(info.st_mode) && size > limit) return TooLarge(error, limit);
  // One byte more than the size, so that the end is seen without growing the buffer.
  std::size_t used = 0;
  buffer->resize(S_ISREG(info.st_mode) ? size + 1 : kChunk);
  while (true) {
    if (used == buffer->size()) {
      if (used > limit) return TooLarge(error, limit);
      buffer->resize(used + std::max(used, kChunk));
    }
    ssize_t got = read(fd, buffer->data() + used, buffer->size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Fail(error, errno);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  if (used > limit) return TooLarge(error, limit);
  buffer->resize(used);
  return true;
}

bool IsRegularFile(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

bool ReadInto(const std::string& path, std::size_t limit, std::string* buffer, ReadError* error) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return Fail(error, errno);
  return ReadDescriptor(file.get(), limit, buffer, error);
}

Result<std::string> ReadFile(const std::string& path) {
  std::string bytes;
  ReadError error;
  if (!ReadInto(path, Source::MaxBytes(path), &bytes, &error)) {
    return Error{fmt::format("{}: {}", path, error.message)};
  }
  return bytes;
}

}  // namespace torchleak::text
