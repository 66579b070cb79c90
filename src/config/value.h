// Values of options as they were written, before anyone makes sense of them all together.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace torchleak::config {

// One line of a table: a pattern with its selectors, or a selector with its severity.
struct Entry {
  std::string key;
  std::vector<std::string> words;
};

// Which member counts is told by the type of the option.
struct Value {
  bool flag = false;
  std::string text;
  std::vector<std::string> words;
  std::vector<Entry> entries;
  std::string origin;  // "torchleak.toml:3:1", "--select"; empty: the default
};

// What one place says: a file, the values of --config, the other flags.
struct Layer {
  std::string name;                                  // "torchleak.toml", "the command line"
  std::string folder;                                // absolute: what its patterns are relative to
  std::map<std::string, Value, std::less<>> values;  // by key of the option

  const Value* Find(std::string_view key) const {
    auto it = values.find(key);
    return it == values.end() ? nullptr : &it->second;
  }
};

}  // namespace torchleak::config
