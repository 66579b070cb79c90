#include "lsp/json_rpc.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

namespace torchleak::lsp {
namespace {

using Kind = Incoming::Kind;

TEST_CASE("requests, notifications and responses") {
  Incoming message = ParseMessage(R"({"jsonrpc":"2.0","id":1,"method":"a","params":{"b":2}})");
  CHECK((message.kind == Kind::kRequest && message.id == 1 && message.method == "a"));
  CHECK(message.params == Json{{"b", 2}});
  CHECK(ParseMessage(R"({"jsonrpc":"2.0","id":"x","method":"a"})").id == "x");
  CHECK(ParseMessage(R"({"jsonrpc":"2.0","method":"a"})").kind == Kind::kNotification);
  CHECK(ParseMessage(R"({"jsonrpc":"2.0","method":"a","params":null})").params.is_null());
  message = ParseMessage(R"({"jsonrpc":"2.0","id":1,"result":[1]})");
  CHECK((message.kind == Kind::kResponse && message.result == Json{1} && !message.is_error));
  message = ParseMessage(R"({"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}})");
  CHECK((message.is_error && message.error.code == -1 && message.error.message == "no"));
}

int CodeOf(std::string_view text) {
  const Incoming message = ParseMessage(text);
  return message.kind == Kind::kInvalid ? message.error.code : 0;
}

TEST_CASE("what is no message is an error of the protocol") {
  for (const char* text :
       {"", "{", "nul", "{\"a\":}", "\"\\u12\"", "{}{}", "\xff\xfe", "{'a':1}"}) {
    CAPTURE(text);
    CHECK(CodeOf(text) == error_code::kParseError);
  }
  for (const char* text :
       {"[]", "[{\"jsonrpc\":\"2.0\",\"method\":\"a\"}]", "1", "null", "{}", R"({"method":"a"})",
        R"({"jsonrpc":"1.0","method":"a"})", R"({"jsonrpc":"2.0"})",
        R"({"jsonrpc":2,"method":"a"})", R"({"jsonrpc":"2.0","method":1})",
        R"({"jsonrpc":"2.0","id":{},"method":"a"})", R"({"jsonrpc":"2.0","id":1})",
        R"({"jsonrpc":"2.0","method":"a","params":1})"}) {
    CAPTURE(text);
    CHECK(CodeOf(text) == error_code::kInvalidRequest);
  }
  const Incoming message = ParseMessage(R"({"jsonrpc":"2.0","id":7,"method":"a","params":"x"})");
  CHECK((message.error.code == error_code::kInvalidParams && message.id == 7));
}

TEST_CASE("half a surrogate pair and bytes that are not UTF-8 are replaced") {
  const auto text = [](const std::string& inside) {
    const Incoming message =
        ParseMessage(R"({"jsonrpc":"2.0","method":"a","params":[")" + inside + "\"]}");
    REQUIRE(message.kind == Kind::kNotification);
    return message.params[0].get<std::string>();
  };
  CHECK(text(R"(\ud83d\ude00)") == "😀");
  CHECK(text(R"(a\ud83d)") == "a\uFFFD");
  CHECK(text(R"(\ud83dx)") == "\uFFFDx");
  CHECK(text(R"(\ude00\ud83d)") == "\uFFFD\uFFFD");
  CHECK(text(R"(\ud83d\ud83d\ude00)") == "\uFFFD😀");
  CHECK(text(R"(\uD83D\n)") == "\uFFFD\n");
  CHECK(text(R"(\\ud83d)") == "\\ud83d");
  CHECK(text("a\xff\xfe\x62") == "a\uFFFD\uFFFD\x62");
  CHECK(text("\xe2\x82") == "\uFFFD");
  CHECK(text("\xed\xa0\x80") == "\uFFFD");
}

TEST_CASE("depth is bounded") {
  const auto nested = [](std::size_t depth) {
    return R"({"jsonrpc":"2.0","method":"a","params":)" + std::string(depth, '[') +
           std::string(depth, ']') + "}";
  };
  CHECK(CodeOf(nested(kMaxDepth - 1)) == 0);
  CHECK(CodeOf(nested(kMaxDepth)) == error_code::kParseError);
  CHECK(CodeOf(nested(3'000'000)) == error_code::kParseError);
  CHECK(CodeOf(std::string(1'000'000, '[')) == error_code::kParseError);
  CHECK(CodeOf(R"({"jsonrpc":"2.0","method":"a","params":[")" + std::string(1000, '[') + "\"]}") ==
        0);
}

TEST_CASE("random JSON-like bytes are never more than an error") {
  std::mt19937 random(11);
  const std::string_view alphabet = "{}[]\":,\\ud8de0 12nulltruejsonrpc\"2.0\"\xf0\xff";
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    while (random() % 40 != 0) text += alphabet[random() % alphabet.size()];
    ParseMessage(text);
  }
}

TEST_CASE("what is sent") {
  CHECK(Json::parse(ResponseText(1, nullptr)) ==
        Json::parse(R"({"jsonrpc":"2.0","id":1,"result":null})"));
  CHECK(Json::parse(ErrorText(nullptr, {-32700, "no", nullptr})) ==
        Json::parse(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}})"));
  CHECK(Json::parse(NotificationText("a", nullptr)) ==
        Json::parse(R"({"jsonrpc":"2.0","method":"a"})"));
  CHECK(Json::parse(RequestText(3, "a", {{"b", 1}}))["params"]["b"] == 1);
  CHECK(NotificationText("a", {{"b", "\xff"}}).find("\uFFFD") != std::string::npos);
}

}  // namespace
}  // namespace torchleak::lsp
