#include "lsp/queue.h"

#include <utility>

namespace torchleak::lsp {
namespace {

// 1 and "1" are two ids.
std::string KeyOf(const Json& id) { return id.dump(-1, ' ', true, Json::error_handler_t::replace); }

const Json* CancelledId(const Incoming& message) {
  if (message.kind != Incoming::Kind::kNotification || message.method != "$/cancelRequest") {
    return nullptr;
  }
  const auto id = message.params.find("id");
  return message.params.is_object() && id != message.params.end() ? &*id : nullptr;
}

}  // namespace

void Queue::Push(Incoming message) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return bytes_ < kMaxWaiting || is_input_closed_; });
  if (const Json* id = CancelledId(message)) {
    const std::string key = KeyOf(*id);
    if (open_.contains(key)) cancelled_.insert(key);
  }
  if (message.kind == Incoming::Kind::kRequest) open_.insert(KeyOf(message.id));
  bytes_ += message.size;
  waiting_.push_back(std::move(message));
  changed_.notify_all();
}

void Queue::CloseInput() {
  const std::lock_guard lock(mutex_);
  is_input_closed_ = true;
  changed_.notify_all();
}

std::optional<Incoming> Queue::Pop() {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) return std::nullopt;
  Incoming message = std::move(waiting_.front());
  waiting_.pop_front();
  bytes_ -= message.size;
  changed_.notify_all();
  return message;
}

bool Queue::HasPending() const {
  const std::lock_guard lock(mutex_);
  return !waiting_.empty() || is_input_closed_;
}

bool Queue::HasEnded() const {
  const std::lock_guard lock(mutex_);
  return waiting_.empty() && is_input_closed_;
}

bool Queue::WaitUntil(TimePoint deadline) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, deadline, [&] { return !waiting_.empty() || is_input_closed_; });
}

bool Queue::IsCancelled(const Json& id) const {
  const std::lock_guard lock(mutex_);
  return cancelled_.contains(KeyOf(id));
}

void Queue::Forget(const Json& id) {
  const std::lock_guard lock(mutex_);
  open_.erase(KeyOf(id));
  cancelled_.erase(KeyOf(id));
}

}  // namespace torchleak::lsp
