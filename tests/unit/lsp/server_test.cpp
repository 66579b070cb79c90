#include "lsp/server.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "tests/unit/lsp/client.h"

namespace torchleak::lsp {
namespace {

TEST_CASE("a life from initialize to exit") {
  Client client;
  client.server.SetVersion("1.2");
  const Json result = client.Initialize({{"general", {{"positionEncodings", {"utf-8"}}}}});
  CHECK(result["capabilities"]["positionEncoding"] == "utf-8");
  CHECK(result["capabilities"]["textDocumentSync"]["change"] == 2);
  CHECK(result["capabilities"]["notebookDocumentSync"]["notebookSelector"].size() == 1);
  CHECK(result["serverInfo"]["version"] == "1.2");
  CHECK(client.Ask("shutdown")["result"].is_null());
  CHECK(client.ErrorOf("shutdown") == error_code::kInvalidRequest);
  CHECK(client.ErrorOf("initialize") == error_code::kInvalidRequest);
  client.Tell("exit");
  CHECK(client.server.exit_status() == 0);
}

TEST_CASE("before initialize nothing but it and exit counts") {
  Client client;
  CHECK(client.ErrorOf("textDocument/hover") == error_code::kServerNotInitialized);
  CHECK(client.ErrorOf("shutdown") == error_code::kServerNotInitialized);
  client.Open("file:///a.py", "x");
  CHECK(client.server.documents().texts().empty());
  CHECK(client.ErrorOf("initialize") == error_code::kInvalidParams);
  client.Initialize();
  CHECK(client.ErrorOf("initialize", Json::object()) == error_code::kInvalidRequest);
  client.Tell("exit");
  CHECK(client.server.exit_status() == 1);
}

TEST_CASE("what is unknown") {
  Client client;
  client.Initialize();
  CHECK(client.ErrorOf("no/such") == error_code::kMethodNotFound);
  CHECK(client.ErrorOf("$/noSuch") == error_code::kMethodNotFound);
  client.Tell("$/noSuch");
  CHECK(client.Logged().empty());
  client.Tell("no/such");
  client.Tell("no/such");
  CHECK(client.Logged() == "unknown notification no/such is ignored\n");
  client.Post({{"jsonrpc", "2.0"}, {"id", 77}, {"result", nullptr}});
  client.Settle();
  CHECK(client.Logged() == "a response to nothing that was asked\n");
}

TEST_CASE("frames and texts that cannot be read are answered, and the server goes on") {
  Client client;
  client.Initialize();
  client.server.Receive({"a header without Content-Length", true});
  client.server.Receive({"{", false});
  client.server.Receive({"[]", false});
  const std::vector<Json> responses = client.Settle();
  REQUIRE(responses.size() == 3);
  CHECK(responses[0]["error"]["code"] == error_code::kParseError);
  CHECK(responses[1]["error"]["code"] == error_code::kParseError);
  CHECK(responses[2]["error"]["code"] == error_code::kInvalidRequest);
  CHECK(responses[2]["id"].is_null());
  CHECK(client.ErrorOf("no/such") == error_code::kMethodNotFound);
}

TEST_CASE("handlers answer, refuse, throw, and answer later") {
  Client client;
  Json later_id;
  Operations& operations = client.server.operations();
  operations.OnRequest("a", [](Request& request) -> Answer { return request.params; });
  operations.OnRequest("b", [](Request&) -> Answer { return InvalidParams({"no"}); });
  operations.OnRequest("c", [](Request&) -> Answer { throw std::runtime_error("lost"); });
  operations.OnRequest("d", [&](Request& request) -> Answer {
    later_id = request.id;
    return Later{};
  });
  operations.OnNotification(
      "n", [](Notification&) -> std::optional<text::Error> { throw std::runtime_error("lost"); });
  client.Initialize();
  CHECK(client.Ask("a", {{"x", 1}})["result"] == Json{{"x", 1}});
  CHECK(client.ErrorOf("b") == error_code::kInvalidParams);
  CHECK(client.ErrorOf("c") == error_code::kInternalError);
  client.Tell("n");
  CHECK(client.Logged() == "internal error in n: lost\n");
  client.Post(Message("late", "d", nullptr));
  CHECK(client.Settle().empty());
  client.server.Respond(later_id, Json(5));
  client.server.Respond(later_id, Json(6));
  const std::vector<Json> responses = client.Settle();
  REQUIRE(responses.size() == 1);
  CHECK(responses[0]["result"] == 5);
}

TEST_CASE("cancelled requests are answered once") {
  Client client;
  Operations& operations = client.server.operations();
  int calls = 0;
  operations.OnRequest("now", [&](Request&) -> Answer {
    ++calls;
    return Json(1);
  });
  operations.OnRequest("later", [](Request&) -> Answer { return Later{}; });
  client.Initialize();
  const auto cancel = [](const Json& id) {
    return Message(nullptr, "$/cancelRequest", {{"id", id}});
  };
  client.Post(Message(100, "now", nullptr));
  client.Post(Message("later", "later", nullptr));
  client.Post(cancel(100));
  client.Post(cancel(12345));
  client.Post(cancel(nullptr));
  std::vector<Json> responses = client.Settle();
  REQUIRE(responses.size() == 1);
  CHECK(responses[0]["error"]["code"] == error_code::kRequestCancelled);
  CHECK(calls == 0);
  client.Post(cancel("later"));
  client.Post(cancel("later"));
  responses = client.Settle();
  REQUIRE(responses.size() == 1);
  CHECK(responses[0]["id"] == "later");
  client.server.Respond("later", Json(1));
  CHECK(client.Settle().empty());
  // The id may be used again.
  client.Post(Message(100, "now", nullptr));
  CHECK(client.Settle()[0]["result"] == 1);
}

TEST_CASE("shutdown leaves no request without an answer") {
  Client client;
  client.server.operations().OnRequest("later", [](Request&) -> Answer { return Later{}; });
  client.Initialize();
  client.Post(Message(100, "later", nullptr));
  client.Post(Message(100, "later", nullptr));
  client.Post(Message(101, "shutdown", nullptr));
  const std::vector<Json> responses = client.Settle();
  REQUIRE(responses.size() == 3);
  CHECK(responses[0]["error"]["code"] == error_code::kInvalidRequest);
  CHECK(responses[1]["error"]["code"] == error_code::kServerCancelled);
  CHECK(responses[2]["id"] == 101);
}

TEST_CASE("what the server asks") {
  Client client;
  client.Initialize({{"workspace", {{"applyEdit", true}, {"configuration", 1}}}});
  CHECK(client.server.ClientCan("workspace/applyEdit"));
  for (const char* path :
       {"workspace/configuration", "workspace", "workspace/applyEdit/x", "", "x/y"})
    CHECK_FALSE(client.server.ClientCan(path));
  std::string got;
  client.server.Ask("workspace/applyEdit", {{"edit", 1}},
                    [&](const Json& result, const ResponseError* error) {
                      got += error != nullptr ? error->message : result.dump();
                    });
  client.server.Ask("workspace/configuration", nullptr);
  client.Settle();
  REQUIRE(client.received.size() == 2);
  const Json id = client.received[0]["id"];
  client.Post({{"jsonrpc", "2.0"}, {"id", id}, {"result", {{"applied", true}}}});
  client.Post({{"jsonrpc", "2.0"}, {"id", id}, {"result", 2}});
  client.Post({{"jsonrpc", "2.0"}, {"id", client.received[1]["id"]}, {"error", {{"code", 1}}}});
  client.Settle();
  CHECK(got == R"({"applied":true})");
}

TEST_CASE("work is done when no message is left, and gives way") {
  Client client;
  std::string order;
  bool interrupt = true;
  client.server.operations().OnNotification("edit",
                                            [&](Notification& n) -> std::optional<text::Error> {
                                              order += 'e';
                                              n.server.Schedule(std::chrono::hours(1));
                                              return std::nullopt;
                                            });
  client.server.SetWork([&] {
    if (std::exchange(interrupt, false)) {
      client.Post(Message(nullptr, "edit", nullptr));
      CHECK(client.server.HasPending());
      order += 'i';
      return WorkState::kInterrupted;
    }
    order += 'w';
    return WorkState::kDone;
  });
  client.Initialize();
  client.Post(Message(nullptr, "edit", nullptr));
  client.Post(Message(nullptr, "edit", nullptr));
  client.Settle();
  CHECK(order == "eeiew");
}

TEST_CASE("documents come through") {
  Client client;
  client.Initialize();
  client.Open("file:///a%20b.py", "x😀\n");
  client.Tell("textDocument/didChange",
              Json::parse(R"({"textDocument":{"uri":"file:///a b.py","version":2},"contentChanges":[
      {"range":{"start":{"line":0,"character":1},"end":{"line":0,"character":3}},"text":"y"}]})"));
  CHECK(client.server.documents().Find("file:///a b.py")->text() == "xy\n");
  CHECK(client.Logged().empty());
  client.Tell("textDocument/didChange", Json::parse(R"({"textDocument":{"uri":1}})"));
  CHECK(client.Logged() == "textDocument/didChange: params.textDocument.uri: expected a string\n");
  client.Tell("textDocument/didClose", {{"textDocument", {{"uri", "file:///no.py"}}}});
  CHECK(client.Logged() == "file:///no.py: is not open, and cannot be closed\n");
  client.Tell("notebookDocument/didOpen",
              Json::parse(R"({"notebookDocument":{"uri":"file:///n.ipynb","version":1,
      "notebookType":"jupyter-notebook","cells":[{"kind":2,"document":"cell:a"}]},
      "cellTextDocuments":[{"uri":"cell:a","languageId":"python","version":1,"text":"x"}]})"));
  CHECK(client.server.documents().Find("cell:a")->text() == "x");
  client.Tell("notebookDocument/didChange",
              Json::parse(R"({"notebookDocument":{"uri":"file:///n.ipynb","version":2},
      "change":{"cells":{"data":1}}})"));
  CHECK(client.Logged() ==
        "notebookDocument/didChange: params.change.cells.data: expected an array\n");
  client.Tell("notebookDocument/didClose", {{"notebookDocument", {{"uri", "file:///n.ipynb"}}}});
  CHECK(client.server.documents().notebooks().empty());
}

TEST_CASE("$/setTrace") {
  Client client;
  client.Initialize();
  client.Tell("$/setTrace", {{"value", "messages"}});
  client.Tell("$/noSuch");
  client.Tell("$/setTrace", {{"value", "off"}});
  client.Tell("$/noSuch");
  CHECK(client.received.size() == 2);
  CHECK(client.received[0]["method"] == "$/logTrace");
}

}  // namespace
}  // namespace torchleak::lsp
