// JSON-RPC 2.0: texts to messages and back.
//
// No text is refused for characters that clients do send: half of a surrogate pair as an escape
// ("\ud83d", a string cut inside of an emoji) and bytes that are not UTF-8 become U+FFFD, which
// is one unit in UTF-16 as well, so that positions behind it stay.
//
//   Incoming message = ParseMessage(text);       // never fails: an error is a kind of message
//   std::string answer = ResponseText(id, result);
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace torchleak::lsp {

using Json = nlohmann::json;

// Of JSON-RPC and of LSP.
namespace error_code {
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kServerNotInitialized = -32002;
inline constexpr int kRequestFailed = -32803;
inline constexpr int kServerCancelled = -32802;
inline constexpr int kContentModified = -32801;
inline constexpr int kRequestCancelled = -32800;
}  // namespace error_code

struct ResponseError {
  int code = error_code::kInternalError;
  std::string message;
  Json data = nullptr;  // null: none
};

struct Incoming {
  enum class Kind { kRequest, kNotification, kResponse, kInvalid };
  Kind kind = Kind::kInvalid;
  Json id = nullptr;  // a number or a string; null for kNotification and, when unreadable, kInvalid
  std::string method;     // of kRequest and kNotification
  Json params;            // null when there are none
  Json result;            // of kResponse
  bool is_error = false;  // of kResponse: `error` counts
  ResponseError error;    // of kResponse; of kInvalid what to answer with
  std::size_t size = 0;   // bytes of the text
};

// The nesting that is read. The deepest message of the protocol has about 20 levels.
inline constexpr std::size_t kMaxDepth = 512;

Incoming ParseMessage(std::string_view text);
// What stands for a frame that could not be read.
Incoming BrokenMessage(std::string_view what);

// The text with the replacements that the head of this file promises; nullopt when it nests deeper
// than kMaxDepth.
std::optional<std::string> CleanJson(std::string_view text);

std::string RequestText(std::int64_t id, std::string_view method, const Json& params);
std::string NotificationText(std::string_view method, const Json& params);
std::string ResponseText(const Json& id, const Json& result);
std::string ErrorText(const Json& id, const ResponseError& error);

}  // namespace torchleak::lsp
