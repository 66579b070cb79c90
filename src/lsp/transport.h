// Transport: where messages come from and go to. One thread reads, another writes; Close() may come
// from any and makes Read() return.
//
//   StdioTransport stdio;                // fd 0 and 1
//   while (std::optional<Frame> frame = stdio.Read()) …
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/framing.h"

namespace torchleak::lsp {

class Transport {
 public:
  virtual ~Transport() = default;
  // Waits for the next frame; nothing when the input has ended or Close() was called.
  virtual std::optional<Frame> Read() = 0;
  // Writes a whole frame. False when the reader went away: there is nobody to write to any more.
  virtual bool Write(std::string_view json) = 0;
  virtual void Close() = 0;
};

// Over two file descriptors, which stay the caller's. SIGPIPE must be ignored.
class FdTransport : public Transport {
 public:
  FdTransport(int in, int out);
  ~FdTransport() override;
  FdTransport(const FdTransport&) = delete;
  FdTransport& operator=(const FdTransport&) = delete;

  std::optional<Frame> Read() override;
  bool Write(std::string_view json) override;
  void Close() override;

 private:
  bool WaitForInput() const;  // false: closed

  int in_, out_;
  int wake_[2] = {-1, -1};  // a pipe: a byte in it ends Read(), also while it waits
  FrameReader reader_;
  bool has_ended_ = false;
  std::mutex write_mutex_;
};

// For tests: what the server writes is kept, and what it reads is given by hand.
class MemoryTransport : public Transport {
 public:
  void Feed(std::string_view bytes);  // framed
  void End();                         // of input
  // What was written since the last call, unframed.
  std::vector<std::string> TakeWritten();
  void BreakOutput();  // from now on nobody reads

  std::optional<Frame> Read() override;
  bool Write(std::string_view json) override;
  void Close() override { End(); }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  FrameReader reader_;
  bool has_ended_ = false, is_output_broken_ = false;
  std::vector<std::string> written_;
};

}  // namespace torchleak::lsp
