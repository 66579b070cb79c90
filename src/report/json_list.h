// JsonList: a long array written element by element, so that a report of many findings holds their
// text but never the tree of all of them (ten times the size). Inner to this layer.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace torchleak::report {

using Json = nlohmann::ordered_json;

// Bytes that are not UTF-8 are replaced; by default the library would throw.
inline std::string Dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

class JsonList {
 public:
  // `depth`: the indent of the line that the list begins on, in blanks.
  explicit JsonList(std::size_t depth) : line_start_("\n" + std::string(depth + 2, ' ')) {}

  void Add(const Json& element) {
    text_ += text_.empty() ? "[" : ",";
    text_ += line_start_;
    // Line feeds inside strings are escaped, so each one here begins a line of its own.
    for (const char c : Dump(element)) {
      if (c == '\n') {
        text_ += line_start_;
      } else {
        text_.push_back(c);
      }
    }
  }

  // The same bytes as a dump of the whole array.
  std::string Take() {
    if (text_.empty()) return "[]";
    text_.append(line_start_, 0, line_start_.size() - 2);
    text_.push_back(']');
    return std::move(text_);
  }

 private:
  std::string line_start_;
  std::string text_;
};

}  // namespace torchleak::report
