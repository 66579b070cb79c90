// Operation: what the server does for one method. Each file of src/lsp/operations adds its own.
//
//   void AddHover(Operations& operations, Analysis& analysis) {
//     operations.OnRequest("textDocument/hover", [&analysis](Request& request) -> Answer {
//       const Fields fields(request.params, "params");
//       …
//       if (auto error = fields.error()) return InvalidParams(*error);
//       return hover ? ToJson(*hover) : Json(nullptr);
//     });
//   }
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "lsp/json_rpc.h"
#include "text/result.h"

namespace torchleak::lsp {

class Server;

// The answer comes later: Server::Respond(id, …). A client that cancels meanwhile gets its
// answer at once, and the later one is dropped.
struct Later {};

using Answer = std::variant<Json, ResponseError, Later>;

struct Request {
  Server& server;
  const Json& id;
  const Json& params;  // null when there are none
};

struct Notification {
  Server& server;
  const Json& params;
};

ResponseError InvalidParams(const text::Error& error);

using RequestHandler = std::function<Answer(Request&)>;
// What it gives back is logged.
using NotificationHandler = std::function<std::optional<text::Error>(Notification&)>;

class Operations {
 public:
  void OnRequest(std::string method, RequestHandler handler);
  void OnNotification(std::string method, NotificationHandler handler);
  const RequestHandler* FindRequest(std::string_view method) const;
  const NotificationHandler* FindNotification(std::string_view method) const;

 private:
  std::map<std::string, RequestHandler, std::less<>> requests_;
  std::map<std::string, NotificationHandler, std::less<>> notifications_;
};

}  // namespace torchleak::lsp
