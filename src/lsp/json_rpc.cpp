// The text is cleaned in one pass over its bytes before the parser sees it, since the parser
// refuses what is replaced there, and its values cannot be copied or written at any depth: that is
// recursive inside.
#include "lsp/json_rpc.h"

#include <fmt/format.h>

#include <exception>
#include <optional>
#include <utility>

#include "text/decode.h"

namespace torchleak::lsp {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::string ValidUtf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t valid = text::FirstInvalidUtf8(text);
    out += text.substr(0, valid);
    text.remove_prefix(valid);
    if (text.empty()) break;
    out += kReplacement;
    text.remove_prefix(1);
    // The rest of a broken sequence is part of it.
    while (!text.empty() && (static_cast<unsigned char>(text[0]) & 0xC0) == 0x80) {
      text.remove_prefix(1);
    }
  }
  return out;
}

// The code unit of "\uXXXX" at `at`, or nullopt.
std::optional<unsigned> UnitAt(std::string_view text, std::size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return std::nullopt;
  unsigned unit = 0;
  for (const char c : text.substr(at + 2, 4)) {
    const char lower = static_cast<char>(c | 0x20);
    if (c >= '0' && c <= '9') {
      unit = unit * 16 + static_cast<unsigned>(c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      unit = unit * 16 + static_cast<unsigned>(lower - 'a') + 10;
    } else {
      return std::nullopt;
    }
  }
  return unit;
}

bool IsHigh(unsigned unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool IsLow(unsigned unit) { return unit >= 0xDC00 && unit < 0xE000; }

// Bytes of the escape at `at`; a lone surrogate is replaced, which keeps the size.
std::size_t CleanEscape(std::string& text, std::size_t at) {
  const std::optional<unsigned> unit = UnitAt(text, at);
  if (!unit) return 2;
  if (IsHigh(*unit)) {
    const std::optional<unsigned> next = UnitAt(text, at + 6);
    if (next && IsLow(*next)) return 12;
  }
  if (IsHigh(*unit) || IsLow(*unit)) text.replace(at, 6, "\\ufffd");
  return 6;
}

Incoming Invalid(int code, std::string what, Json id = nullptr) {
  Incoming message;
  message.id = std::move(id);
  message.error = {code, std::move(what), nullptr};
  return message;
}

// Numbers that are whole, as some clients write 1.0, stay what the client wrote: it compares.
bool IsId(const Json& id) { return id.is_string() || id.is_number(); }

const Json* Member(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

Incoming Response(Json&& object, Incoming message) {
  message.kind = Incoming::Kind::kResponse;
  if (const Json* error = Member(object, "error"); error != nullptr && error->is_object()) {
    message.is_error = true;
    if (const Json* code = Member(*error, "code"); code != nullptr && code->is_number_integer()) {
      message.error.code = code->get<int>();
    }
    if (const Json* text = Member(*error, "message"); text != nullptr && text->is_string()) {
      message.error.message = text->get<std::string>();
    }
  }
  if (object.contains("result")) message.result = std::move(object["result"]);
  return message;
}

Incoming FromObject(Json&& object) {
  constexpr int kCode = error_code::kInvalidRequest;
  Incoming message;
  const Json* id = Member(object, "id");
  const bool has_id = id != nullptr && IsId(*id);
  if (has_id) message.id = *id;
  const Json* version = Member(object, "jsonrpc");
  if (version == nullptr || *version != "2.0") {
    return Invalid(kCode, "a message must have \"jsonrpc\": \"2.0\"", message.id);
  }
  const Json* method = Member(object, "method");
  if (method == nullptr) {
    // The answer to something that could not be read has the id null.
    if (id != nullptr && (object.contains("result") || object.contains("error"))) {
      return Response(std::move(object), std::move(message));
    }
    return Invalid(kCode, "a message must have a \"method\", or an \"id\" with a \"result\"",
                   message.id);
  }
  if (!method->is_string()) return Invalid(kCode, "\"method\" must be a string", message.id);
  if (id != nullptr && !has_id) {
    return Invalid(kCode, "the \"id\" of a request must be a number or a string");
  }
  message.kind = has_id ? Incoming::Kind::kRequest : Incoming::Kind::kNotification;
  message.method = method->get<std::string>();
  if (object.contains("params")) message.params = std::move(object["params"]);
  if (!message.params.is_structured() && !message.params.is_null()) {
    return Invalid(has_id ? error_code::kInvalidParams : kCode,
                   "\"params\" must be an object or an array", message.id);
  }
  return message;
}

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::optional<std::string> CleanJson(std::string_view text) {
  std::string clean = ValidUtf8(text);
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const char c = clean[i];
    if (in_string) {
      if (c == '"') in_string = false;
      if (c == '\\') i += CleanEscape(clean, i) - 1;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxDepth) return std::nullopt;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return clean;
}

Incoming ParseMessage(std::string_view text) {
  Incoming message;
  try {
    const std::optional<std::string> clean = CleanJson(text);
    if (!clean) {
      return Invalid(error_code::kParseError,
                     fmt::format("the JSON nests deeper than {} levels", kMaxDepth));
    }
    Json json = Json::parse(*clean);
    if (json.is_object()) {
      message = FromObject(std::move(json));
    } else {
      message =
          Invalid(error_code::kInvalidRequest,
                  json.is_array() ? "batches are not part of LSP" : "a message must be an object");
    }
  } catch (const std::exception& error) {  // of the parser, or no memory
    message = Invalid(error_code::kParseError, fmt::format("not JSON: {}", error.what()));
  }
  message.size = text.size();
  return message;
}

Incoming BrokenMessage(std::string_view what) {
  return Invalid(error_code::kParseError, std::string(what));
}

std::string RequestText(std::int64_t id, std::string_view method, const Json& params) {
  Json message = {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}};
  if (!params.is_null()) message["params"] = params;
  return Dump(message);
}

std::string NotificationText(std::string_view method, const Json& params) {
  Json message = {{"jsonrpc", "2.0"}, {"method", method}};
  if (!params.is_null()) message["params"] = params;
  return Dump(message);
}

std::string ResponseText(const Json& id, const Json& result) {
  return Dump({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
}

std::string ErrorText(const Json& id, const ResponseError& error) {
  Json body = {{"code", error.code}, {"message", error.message}};
  if (!error.data.is_null()) body["data"] = error.data;
  return Dump({{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(body)}});
}

}  // namespace torchleak::lsp
