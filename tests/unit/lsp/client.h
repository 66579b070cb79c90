// A client in the same process, without threads: what it sends is handled before the call returns.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "lsp/json_rpc.h"
#include "lsp/operations/operations.h"
#include "lsp/server.h"
#include "lsp/transport.h"

namespace torchleak::lsp {

inline Json Message(const Json& id, std::string method, Json params) {
  Json message = {{"jsonrpc", "2.0"}, {"method", std::move(method)}};
  if (!id.is_null()) message["id"] = id;
  if (!params.is_null()) message["params"] = std::move(params);
  return message;
}

struct Client {
  MemoryTransport transport;
  Server server{transport};
  std::vector<Json> received;  // notifications and requests of the server

  Client() {
    AddTextSync(server.operations());
    AddNotebookSync(server.operations());
  }
  // Without handling it.
  void Post(const Json& message) { server.Receive({message.dump(), false}); }
  // All that is posted; gives the responses.
  std::vector<Json> Settle() {
    server.Settle();
    std::vector<Json> responses;
    for (const std::string& text : transport.TakeWritten()) {
      Json json = Json::parse(text);
      (json.contains("method") ? received : responses).push_back(std::move(json));
    }
    return responses;
  }
  // The response, whole.
  Json Ask(std::string method, Json params = nullptr) {
    Post(Message(next_id, std::move(method), std::move(params)));
    const std::vector<Json> responses = Settle();
    REQUIRE(responses.size() == 1);
    CHECK(responses[0]["id"] == next_id++);
    return responses[0];
  }
  int ErrorOf(std::string method, Json params = nullptr) {
    const Json response = Ask(std::move(method), std::move(params));
    return response.contains("error") ? response["error"]["code"].get<int>() : 0;
  }
  void Tell(std::string method, Json params = nullptr) {
    Post(Message(nullptr, std::move(method), std::move(params)));
    CHECK(Settle().empty());
  }
  Json Initialize(Json capabilities = Json::object()) {
    const Json response = Ask("initialize", {{"capabilities", std::move(capabilities)}});
    Tell("initialized", Json::object());
    return response["result"];
  }
  // Texts of window/logMessage since the last call.
  std::string Logged() {
    std::string text;
    for (const Json& json : std::exchange(received, {})) {
      if (json["method"] == "window/logMessage") {
        text += json["params"]["message"].get<std::string>() + '\n';
      }
    }
    return text;
  }
  void Open(std::string uri, std::string text) {
    Tell("textDocument/didOpen",
         {{"textDocument",
           {{"uri", std::move(uri)}, {"languageId", "python"}, {"version", 1}, {"text", text}}}});
  }

  int next_id = 1;
};

}  // namespace torchleak::lsp
