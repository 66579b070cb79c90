#include "lsp/queue.h"

#include <doctest/doctest.h>

#include <thread>

namespace torchleak::lsp {
namespace {

Incoming Request(int id) {
  Incoming message;
  message.kind = Incoming::Kind::kRequest;
  message.id = id;
  message.size = 100;
  return message;
}

Incoming Cancel(Json params) {
  Incoming message;
  message.kind = Incoming::Kind::kNotification;
  message.method = "$/cancelRequest";
  message.params = std::move(params);
  return message;
}

TEST_CASE("a request is cancelled while it waits and while it is answered, not before or after") {
  Queue queue;
  queue.Push(Cancel({{"id", 1}}));
  queue.Push(Request(1));
  CHECK_FALSE(queue.IsCancelled(1));
  queue.Push(Cancel({{"id", "1"}}));
  CHECK_FALSE(queue.IsCancelled(1));
  queue.Push(Cancel({{"id", 1}}));
  CHECK(queue.IsCancelled(1));
  while (queue.Pop()) {
  }
  CHECK(queue.IsCancelled(1));
  queue.Forget(1);
  queue.Push(Cancel({{"id", 1}}));
  CHECK_FALSE(queue.IsCancelled(1));
  for (const Json& params : {Json(nullptr), Json::array({1}), Json::object(), Json{{"id", {1}}}}) {
    queue.Push(Cancel(params));
  }
}

TEST_CASE("what waits, and the end") {
  Queue queue;
  CHECK_FALSE(queue.HasPending());
  CHECK_FALSE(queue.WaitUntil(std::chrono::steady_clock::now()));
  queue.Push(Request(1));
  CHECK(queue.HasPending());
  queue.CloseInput();
  CHECK_FALSE(queue.HasEnded());
  CHECK(queue.Pop()->id == 1);
  CHECK_FALSE(queue.Pop());
  CHECK(queue.HasEnded());
  CHECK(queue.HasPending());
  CHECK(queue.WaitUntil(Queue::TimePoint::max()));
}

TEST_CASE("too much makes the reader wait") {
  Queue queue;
  Incoming large = Request(1);
  large.size = Queue::kMaxWaiting;
  queue.Push(std::move(large));
  std::thread reader([&] {
    queue.Push(Request(2));
    queue.CloseInput();
  });
  CHECK(queue.Pop()->id == 1);
  while (!queue.HasEnded()) {
    queue.WaitUntil(Queue::TimePoint::max());
    if (const auto message = queue.Pop()) CHECK(message->id == 2);
  }
  reader.join();
}

}  // namespace
}  // namespace torchleak::lsp
