#include "text/json_tokens.h"

#include <algorithm>
#include <array>

namespace torchleak::text {
namespace {

constexpr std::string_view kClosingQuote = "'\"' at the end of the string";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

}  // namespace

JsonTokens::Token JsonTokens::Fail(std::size_t at, std::string_view expected) {
  state_ = State::kFailed;
  at_ = at;
  expected_ = expected;
  return {Kind::kError, at_, at_};
}

void JsonTokens::SkipBlanks() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
    ++at_;
}

JsonTokens::Token JsonTokens::Next() {
  if (state_ == State::kFailed) return {Kind::kError, at_, at_};
  SkipBlanks();
  switch (state_) {
    case State::kFirstElement:
      if (At(at_) == ']') return Close(Kind::kEndArray);
      return Value();
    case State::kFirstKey:
      if (At(at_) == '}') return Close(Kind::kEndObject);
      return Key();
    case State::kNextKey:
      return Key();
    case State::kAfterValue:
      return AfterValue();
    default:
      return Value();
  }
}

JsonTokens::Token JsonTokens::Close(Kind kind) {
  is_object_.pop_back();
  state_ = State::kAfterValue;
  ++at_;
  return {kind, at_ - 1, at_};
}

JsonTokens::Token JsonTokens::AfterValue() {
  if (is_object_.empty()) {
    if (at_ < text_.size()) return Fail(at_, "the end of the file");
    return {Kind::kEnd, at_, at_};
  }
  const bool object = is_object_.back();
  const char c = At(at_);
  if (c == (object ? '}' : ']')) return Close(object ? Kind::kEndObject : Kind::kEndArray);
  if (c != ',') return Fail(at_, object ? "',' or '}'" : "',' or ']'");
  ++at_;
  SkipBlanks();
  return object ? Key() : Value();
}

JsonTokens::Token JsonTokens::Key() {
  if (At(at_) != '"')
    return Fail(at_, state_ == State::kFirstKey ? "a key in double quotes or '}'"
                                                : "a key in double quotes");
  Token key{Kind::kKey, 0, 0};
  if (!ReadString(&key)) return {Kind::kError, at_, at_};
  SkipBlanks();
  if (At(at_) != ':') return Fail(at_, "':' and the value of the key");
  ++at_;
  state_ = State::kValue;
  return key;
}

JsonTokens::Token JsonTokens::Value() {
  const char c = At(at_);
  if (c == '{' || c == '[') {
    is_object_.push_back(c == '{');
    state_ = c == '{' ? State::kFirstKey : State::kFirstElement;
    ++at_;
    return {c == '{' ? Kind::kBeginObject : Kind::kBeginArray, at_ - 1, at_};
  }
  if (c == '"') {
    Token string{Kind::kString, 0, 0};
    if (!ReadString(&string)) return {Kind::kError, at_, at_};
    state_ = State::kAfterValue;
    return string;
  }
  if (IsDigit(c) || (c == '-' && At(at_ + 1) != 'I')) return Number();
  return Word();
}

JsonTokens::Token JsonTokens::Number() {
  std::size_t i = at_;
  const auto digits = [&] {
    const std::size_t first = i;
    while (IsDigit(At(i))) ++i;
    return i > first;
  };
  if (At(i) == '-') ++i;
  if (At(i) == '0') {
    ++i;
  } else if (!digits()) {
    return Fail(i, "a digit");
  }
  if (At(i) == '.') {
    ++i;
    if (!digits()) return Fail(i, "a digit");
  }
  if (At(i) == 'e' || At(i) == 'E') {
    ++i;
    if (At(i) == '+' || At(i) == '-') ++i;
    if (!digits()) return Fail(i, "a digit");
  }
  const Token number{Kind::kNumber, at_, i};
  at_ = i;
  state_ = State::kAfterValue;
  return number;
}

JsonTokens::Token JsonTokens::Word() {
  static constexpr std::array<std::string_view, 6> kWords = {"true", "false",    "null",
                                                             "NaN",  "Infinity", "-Infinity"};
  for (const std::string_view word : kWords) {
    if (!text_.substr(at_).starts_with(word)) continue;
    at_ += word.size();
    state_ = State::kAfterValue;
    return {Kind::kWord, at_ - word.size(), at_};
  }
  return Fail(at_, state_ == State::kFirstElement ? "a value or ']'" : "a value");
}

bool JsonTokens::CheckEscape(std::size_t* at) {
  const char c = At(*at + 1);
  if (c == 'u') {
    for (std::size_t k = 2; k < 6; ++k) {
      if (!IsHex(At(*at + k))) {
        Fail(*at + k, "four hexadecimal digits after \\u");
        return false;
      }
    }
    *at += 6;
    return true;
  }
  if (c == '\0' || std::string_view("\"\\/bfnrt").find(c) == std::string_view::npos) {
    Fail(*at + 1, "an escape that JSON knows, such as \\n or \\\\");
    return false;
  }
  *at += 2;
  return true;
}

// Embedded pictures make strings of megabytes, so the next quote and the next backslash are found
// with memchr, each byte being passed once by either.
bool JsonTokens::ReadString(Token* token) {
  std::size_t i = at_ + 1;
  token->begin = i;
  std::size_t quote = text_.find('"', i);
  for (;;) {
    const std::string_view plain = text_.substr(i, quote - i);
    const std::size_t escape = plain.find('\\');
    if (!CheckPlain(i, plain.substr(0, escape))) return false;
    if (escape == plain.npos) break;
    i += escape;
    if (!CheckEscape(&i)) return false;
    if (quote < i) quote = text_.find('"', i);
  }
  if (quote == text_.npos) {
    Fail(text_.size(), kClosingQuote);
    return false;
  }
  token->end = quote;
  at_ = quote + 1;
  return true;
}

bool JsonTokens::CheckPlain(std::size_t at, std::string_view plain) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
  bool any = false;  // without a way out of the loop, which compilers then make vector code of
  for (const char c : plain) any |= is_control(c);
  if (!any) return true;
  const auto first = std::find_if(plain.begin(), plain.end(), is_control);
  Fail(at + static_cast<std::size_t>(first - plain.begin()),
       *first == '\n' || *first == '\r' ? kClosingQuote : "no bare control character in a string");
  return false;
}

bool JsonTokens::Skip(Token first) {
  if (first.kind != Kind::kBeginObject && first.kind != Kind::kBeginArray)
    return first.kind != Kind::kError;
  const std::size_t depth = is_object_.size();
  while (is_object_.size() >= depth) {
    if (Next().kind == Kind::kError) return false;
  }
  return true;
}

}  // namespace torchleak::text
