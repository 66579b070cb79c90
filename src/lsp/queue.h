// Queue: messages that were read and not handled yet. The reading thread pushes, the server pops.
//
//   queue.Push(ParseMessage(text));              // reading thread
//   while (auto message = queue.Pop()) …         // server
//   if (queue.HasPending()) return;              // in the middle of work that can be done again
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "lsp/json_rpc.h"

namespace torchleak::lsp {

class Queue {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  // So much may wait; then the reading thread does, and with it the client.
  static constexpr std::size_t kMaxWaiting = std::size_t{512} << 20;

  // Waits while too much is waiting, unless closed.
  void Push(Incoming message);
  void CloseInput();  // nothing more will come

  std::optional<Incoming> Pop();  // nothing when none waits
  bool HasPending() const;        // a message, or the end of input
  bool HasEnded() const;          // and everything was popped
  // Until a message waits, the input ends or the time has come. True for the first two.
  bool WaitUntil(TimePoint deadline) const;

  // Has $/cancelRequest come for this request, which was popped but not Forgotten?
  bool IsCancelled(const Json& id) const;
  void Forget(const Json& id);  // it was answered

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::deque<Incoming> waiting_;
  std::size_t bytes_ = 0;
  bool is_input_closed_ = false;
  std::set<std::string> open_, cancelled_;  // ids as JSON
};

}  // namespace torchleak::lsp
