// What Server does with one message: the life cycle of the protocol, then the Operations.
#include <fmt/format.h>

#include <exception>
#include <utility>

#include "lsp/fields.h"
#include "lsp/server.h"

namespace torchleak::lsp {
namespace {

// Names of notifications that are remembered as logged; a client has no more than these.
constexpr std::size_t kMaxUnknown = 200;

ResponseError Error(int code, std::string message) { return {code, std::move(message), nullptr}; }

std::string KeyOf(const Json& id) { return id.dump(-1, ' ', true, Json::error_handler_t::replace); }

}  // namespace

void Server::Handle(Incoming message) {
  const Queue::TimePoint begin = clock_();
  switch (message.kind) {
    case Incoming::Kind::kRequest:
      HandleRequest(message);
      break;
    case Incoming::Kind::kNotification:
      HandleNotification(message);
      break;
    case Incoming::Kind::kResponse:
      HandleResponse(message);
      break;
    case Incoming::Kind::kInvalid:
      Send(ErrorText(message.id, message.error));
      break;
  }
  if (trace_ == "off" || message.method.empty()) return;
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(clock_() - begin);
  Trace(fmt::format("{}: {} µs", message.method, took.count()));
}

void Server::HandleRequest(const Incoming& message) {
  const bool is_new = open_.emplace(KeyOf(message.id), message.id).second;
  if (!is_new) {
    Send(ErrorText(message.id, Error(error_code::kInvalidRequest,
                                     "another request with this id has no answer yet")));
    return;
  }
  Respond(message.id, AnswerTo(message));
}

Answer Server::AnswerTo(const Incoming& message) {
  if (queue_.IsCancelled(message.id)) return Error(error_code::kRequestCancelled, "cancelled");
  if (phase_ == Phase::kShutDown) {
    return Error(error_code::kInvalidRequest, "the server was shut down; `exit` ends it");
  }
  const bool is_initialize = message.method == "initialize";
  if (phase_ == Phase::kNew && !is_initialize) {
    return Error(error_code::kServerNotInitialized, "`initialize` must come first");
  }
  if (phase_ == Phase::kRunning && is_initialize) {
    return Error(error_code::kInvalidRequest, "the server is initialized already");
  }
  try {
    if (is_initialize) return Initialize(message.params);
    if (message.method == "shutdown") return Shutdown(message.id);
    return Dispatch(message);
  } catch (const std::exception& error) {
    return Error(error_code::kInternalError,
                 fmt::format("internal error in {}: {}", message.method, error.what()));
  }
}

Answer Server::Dispatch(const Incoming& message) {
  const RequestHandler* handler = operations_.FindRequest(message.method);
  if (handler == nullptr) {
    return Error(error_code::kMethodNotFound, fmt::format("unknown method {}", message.method));
  }
  Request request{*this, message.id, message.params};
  return (*handler)(request);
}

void Server::Respond(const Json& id, const Answer& answer) {
  const auto open = open_.find(KeyOf(id));
  if (open == open_.end() || std::holds_alternative<Later>(answer)) return;
  const Json own_id = std::move(open->second);  // `id` may be the one in the map
  open_.erase(open);
  queue_.Forget(own_id);
  if (const auto* error = std::get_if<ResponseError>(&answer)) {
    Send(ErrorText(own_id, *error));
  } else {
    Send(ResponseText(own_id, std::get<Json>(answer)));
  }
}

Answer Server::Initialize(const Json& params) {
  const Fields fields(params, "params");
  if (auto error = fields.error()) return InvalidParams(*error);
  initialize_params_ = params;
  WatchClient();
  if (fields.Any("trace").is_string()) trace_ = fields.String("trace");
  documents_.SetEncoding(Negotiate(client_capabilities()));
  capabilities_["positionEncoding"] = Name(documents_.encoding());
  for (const auto& hook : on_initialize_) hook();
  phase_ = Phase::kRunning;
  Json info = {{"name", "torchleak"}};
  if (!version_.empty()) info["version"] = version_;
  return Json{{"capabilities", capabilities_}, {"serverInfo", std::move(info)}};
}

Answer Server::Shutdown(const Json& own_id) {
  phase_ = Phase::kShutDown;
  due_.reset();
  // Those that wait for work to be done get their answer before this one does.
  const std::map<std::string, Json> open = open_;
  for (const auto& [key, id] : open) {
    if (id == own_id) continue;
    Respond(id, Error(error_code::kServerCancelled, "the server is shutting down"));
  }
  return Json(nullptr);
}

void Server::HandleNotification(const Incoming& message) {
  const std::string& method = message.method;
  if (method == "exit") {
    exit_status_ = phase_ == Phase::kShutDown ? 0 : 1;
    return;
  }
  if (phase_ != Phase::kRunning) return;  // as the protocol says
  try {
    if (method == "initialized") {
      for (const auto& hook : on_initialized_) hook();
    } else if (method == "$/cancelRequest") {
      HandleCancel(message.params);
    } else if (method == "$/setTrace") {
      const Fields fields(message.params, "params");
      if (fields.Any("value").is_string()) trace_ = fields.String("value");
    } else if (const NotificationHandler* handler = operations_.FindNotification(method)) {
      Notification notification{*this, message.params};
      const std::optional<text::Error> error = (*handler)(notification);
      if (error) Log(MessageType::kError, fmt::format("{}: {}", method, error->message));
    } else {
      HandleUnknown(method);
    }
  } catch (const std::exception& error) {
    Log(MessageType::kError, fmt::format("internal error in {}: {}", method, error.what()));
  }
}

// Those that begin with "$/" may be ignored by every server.
void Server::HandleUnknown(const std::string& method) {
  if (method.starts_with("$/") || unknown_.size() >= kMaxUnknown) return;
  if (!unknown_.insert(method).second) return;
  Log(MessageType::kWarning, fmt::format("unknown notification {} is ignored", method));
}

// One that still waited was answered before this; what is open now has said `Later`.
void Server::HandleCancel(const Json& params) {
  const Fields fields(params, "params");
  Respond(fields.Any("id"), Error(error_code::kRequestCancelled, "cancelled"));
}

void Server::HandleResponse(const Incoming& message) {
  const bool is_number = message.id.is_number_integer();
  const auto asked = is_number ? asked_.find(message.id.get<std::int64_t>()) : asked_.end();
  if (asked == asked_.end()) {
    // Of the id null: the client could not read something of ours.
    const std::string& what = message.error.message;
    Log(MessageType::kWarning,
        fmt::format("a response to nothing that was asked{}{}", what.empty() ? "" : ": ", what));
    return;
  }
  const Callback callback = std::move(asked->second);
  asked_.erase(asked);
  if (!callback) return;
  try {
    callback(message.result, message.is_error ? &message.error : nullptr);
  } catch (const std::exception& error) {
    Log(MessageType::kError, fmt::format("internal error: {}", error.what()));
  }
}

}  // namespace torchleak::lsp
