// Values as they would stand in a file.
#include <fmt/format.h>

#include "config/options.h"

namespace torchleak::config {
namespace {

bool IsBareKey(std::string_view key) {
  constexpr std::string_view kBare =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  return !key.empty() && key.find_first_not_of(kBare) == std::string_view::npos;
}

std::string List(const std::vector<std::string>& words) {
  std::string text = "[";
  for (const std::string& word : words) {
    if (text.size() > 1) text += ", ";
    text += QuotedToml(word);
  }
  return text + "]";
}

}  // namespace

std::string QuotedToml(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format("\\u{:04X}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string ToToml(const Option& option, const Value& value) {
  switch (option.type) {
    case Type::kFlag:
      if (value.origin.empty() && option.default_text.empty()) return {};  // three states
      return value.flag ? "true" : "false";
    case Type::kChoice:
    case Type::kPath:
    case Type::kVersion:
      return value.text.empty() ? std::string() : QuotedToml(value.text);
    case Type::kPatterns:
    case Type::kSelectors:
      return List(value.words);
    case Type::kPerFile:
    case Type::kPerRule:
      break;
  }
  if (value.entries.empty()) return "{}";
  std::string text = "{ ";
  for (const Entry& entry : value.entries) {
    if (text.size() > 2) text += ", ";
    text += IsBareKey(entry.key) ? entry.key : QuotedToml(entry.key);
    text += " = ";
    text += option.type == Type::kPerFile ? List(entry.words) : QuotedToml(entry.words.front());
  }
  return text + " }";
}

}  // namespace torchleak::config
