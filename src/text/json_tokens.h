// JsonTokens: the tokens of a JSON text one by one, with their places, and nothing copied.
//
// The nesting is kept in a bit for each level, so that no depth overflows. Like Python's json
// module it takes NaN and Infinity, which outputs of notebooks hold, and nothing else that RFC 8259
// forbids.
//
//   JsonTokens tokens(text);
//   for (auto t = tokens.Next(); t.kind != Kind::kEnd; t = tokens.Next())
//     if (t.kind == Kind::kError) Complain(t.begin, tokens.expected());
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace torchleak::text {

class JsonTokens {
 public:
  enum class Kind : std::uint8_t {
    kBeginObject,
    kEndObject,
    kBeginArray,
    kEndArray,
    kKey,  // its colon is read, too
    kString,
    kNumber,
    kWord,  // true, false, null, NaN, Infinity
    kEnd,
    kError,  // at the first byte that does not fit; every further token is the same error
  };
  struct Token {
    Kind kind = Kind::kError;
    std::size_t begin = 0, end = 0;  // of strings and keys: between the quotes
  };

  explicit JsonTokens(std::string_view text, std::size_t begin = 0) : text_(text), at_(begin) {}

  Token Next();
  // Reads to the end of the value that starts with `first`. False when there is an error before.
  bool Skip(Token first);
  // After kError: what would have been right, as in "expected ',' or ']'".
  std::string_view expected() const { return expected_; }
  std::size_t error_at() const { return at_; }
  std::string_view Text(Token token) const {
    return text_.substr(token.begin, token.end - token.begin);
  }

 private:
  enum class State : std::uint8_t {
    kValue,
    kFirstElement,  // after '[': a value or ']'
    kFirstKey,      // after '{': a key or '}'
    kNextKey,       // after ',' in an object
    kAfterValue,
    kFailed,
  };

  Token Fail(std::size_t at, std::string_view expected);
  Token Close(Kind kind);
  Token AfterValue();
  Token Value();
  Token Key();
  Token Number();
  Token Word();
  bool ReadString(Token* token);  // at the opening quote
  bool CheckPlain(std::size_t at, std::string_view plain);
  bool CheckEscape(std::size_t* at);
  void SkipBlanks();
  char At(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  std::string_view text_;
  std::size_t at_;
  State state_ = State::kValue;
  std::vector<bool> is_object_;  // the open ones, outermost first
  std::string_view expected_;
};

}  // namespace torchleak::text
