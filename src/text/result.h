// Result<T>: a value or an Error, for everything that can fail because of input.
//
// Libraries of torchleak never print, exit or throw across a layer; they return
// a Result. Example:
//
//   Result<Source> source = ReadSource(path);
//   if (!source) return source.error();
//   Use(*source);
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace torchleak::text {

// What went wrong, in one sentence that names the file, the place and the way out.
struct Error {
  std::string message;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() {
    assert(*this);
    return std::get<0>(state_);
  }
  const T& operator*() const {
    assert(*this);
    return std::get<0>(state_);
  }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }
  const Error& error() const {
    assert(!*this);
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

}  // namespace torchleak::text
