// Reading a file's bytes with plain read(): no mapping, so a file truncated meanwhile is not a
// SIGBUS.
#pragma once

#include <cstddef>
#include <string>

#include "text/result.h"

namespace torchleak::text {

// An open file that is closed with the object.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;  // negative: none
};

// Why reading failed, without the path: "No such file or directory", "Is a directory".
struct ReadError {
  std::string message;
  bool too_large = false;
  int code = 0;  // errno
};
// The whole file, into `buffer` (its capacity is reused from call to call). Pipes and devices are
// read to their end, up to `limit`.
bool ReadInto(const std::string& path, std::size_t limit, std::string* buffer, ReadError* error);

// Is it a file that ends, or a link to one? A pipe may wait for ever for somebody who writes to it.
bool IsRegularFile(const std::string& path);

// The same from an open descriptor (standard input).
bool ReadDescriptor(int fd, std::size_t limit, std::string* buffer, ReadError* error);

// Convenience for small files.
Result<std::string> ReadFile(const std::string& path);

}  // namespace torchleak::text
