#include "lsp/server.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <limits>
#include <thread>
#include <utility>

namespace torchleak::lsp {
namespace {

constexpr int kStatusOfLostClient = 1;
// How long the server may outlive a client that dies without closing its end of the pipe.
constexpr std::chrono::seconds kClientPoll{1};

}  // namespace

Server::Server(Transport& transport, Clock clock)
    : transport_(transport),
      clock_(std::move(clock)),
      capabilities_(BasicCapabilities()),
      initialize_params_(Json::object()) {}

Server::~Server() = default;

Json BasicCapabilities() {
  // No selector of cells: without those of text, numbers of cells would not be those of the file.
  Json notebooks = Json::array();
  notebooks.push_back({{"notebook", {{"notebookType", "jupyter-notebook"}}}});
  return {{"textDocumentSync",
           {{"openClose", true}, {"change", 2}, {"save", {{"includeText", false}}}}},
          {"notebookDocumentSync", {{"notebookSelector", std::move(notebooks)}, {"save", true}}}};
}

const Json& Server::client_capabilities() const {
  static const Json kNone = Json::object();
  const auto found = initialize_params_.find("capabilities");
  return found != initialize_params_.end() && found->is_object() ? *found : kNone;
}

bool Server::ClientCan(std::string_view path) const {
  const Json* at = &client_capabilities();
  while (true) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const auto found = at->find(path.substr(0, end));
    if (!at->is_object() || found == at->end()) return false;
    at = &*found;
    if (end == path.size()) return at->is_boolean() && at->get<bool>();
    path.remove_prefix(end + 1);
  }
}

int Server::Run() {
  std::thread reader([this] {
    try {
      while (const std::optional<Frame> frame = transport_.Read()) Receive(*frame);
    } catch (const std::exception&) {  // no memory left: as if the input had ended
    }
    queue_.CloseInput();
  });
  const int status = Loop();
  queue_.CloseInput();  // the reader may wait for room in it
  transport_.Close();
  reader.join();
  return status;
}

int Server::Loop() {
  while (!exit_status_) {
    if (is_client_gone_) return kStatusOfLostClient;
    if (std::optional<Incoming> message = queue_.Pop()) {
      Handle(*std::move(message));
    } else if (queue_.HasEnded()) {
      return kStatusOfLostClient;
    } else if (due_ && clock_() >= *due_) {
      DoWork();
    } else if (!queue_.WaitUntil(NextWake()) && !IsClientAlive()) {
      return kStatusOfLostClient;
    }
  }
  return *exit_status_;
}

void Server::Receive(const Frame& frame) {
  queue_.Push(frame.is_broken ? BrokenMessage(frame.text) : ParseMessage(frame.text));
}

void Server::Settle() {
  while (!exit_status_) {
    if (std::optional<Incoming> message = queue_.Pop()) {
      Handle(*std::move(message));
    } else if (due_) {
      DoWork();
    } else {
      return;
    }
  }
}

Queue::TimePoint Server::NextWake() const {
  const Queue::TimePoint poll = clock_() + kClientPoll;
  return due_ ? std::min(*due_, poll) : poll;
}

void Server::Schedule(std::chrono::milliseconds delay) { due_ = clock_() + delay; }

void Server::DoWork() {
  due_.reset();
  if (!work_ || phase_ != Phase::kRunning) return;
  try {
    // Work that gave way goes on behind the messages, unless it has set a time itself.
    if (work_() == WorkState::kInterrupted && !due_) due_ = clock_();
  } catch (const std::exception& error) {
    Log(MessageType::kError, fmt::format("internal error: {}", error.what()));
  }
}

// A process that is not there from the begin is of another machine or container: to end for its
// sake would be wrong.
void Server::WatchClient() {
  const auto id = initialize_params_.find("processId");
  if (id == initialize_params_.end() || !id->is_number_integer()) return;
  const auto process = id->get<std::int64_t>();
  if (process <= 0 || process > std::numeric_limits<pid_t>::max()) return;
  client_process_ = process;
  if (!IsClientAlive()) client_process_ = 0;
}

bool Server::IsClientAlive() const {
  return client_process_ == 0 || ::kill(static_cast<pid_t>(client_process_), 0) == 0 ||
         errno != ESRCH;
}

void Server::Send(std::string_view text) {
  if (!is_client_gone_ && !transport_.Write(text)) is_client_gone_ = true;
}

void Server::Notify(std::string_view method, const Json& params) {
  Send(NotificationText(method, params));
}

void Server::Ask(std::string_view method, const Json& params, Callback callback) {
  const std::int64_t id = next_id_++;
  asked_[id] = std::move(callback);
  Send(RequestText(id, method, params));
}

void Server::Log(MessageType type, std::string_view text) {
  if (!Logs(type)) return;
  Notify("window/logMessage", {{"type", static_cast<int>(type)}, {"message", text}});
}

void Server::Show(MessageType type, std::string_view text) {
  Notify("window/showMessage", {{"type", static_cast<int>(type)}, {"message", text}});
}

void Server::LogAll(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) Log(MessageType::kWarning, warning);
}

void Server::Trace(std::string_view text) {
  if (trace_ != "off") Notify("$/logTrace", {{"message", text}});
}

}  // namespace torchleak::lsp
