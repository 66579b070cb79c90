// The one table of options. From it come: what a configuration file may hold and the messages about
// what it may not, the JSON schema, `torchleak config`, `--show-settings` and the page of the
// documentation.
//
// To add an option: a line in options.cpp, a member of Settings, a line in settings.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "config/value.h"

namespace torchleak::config {

enum class Type : std::uint8_t {
  kFlag,       // true or false
  kChoice,     // one of `choices`
  kPath,       // relative to the folder of the file
  kVersion,    // "2.4"
  kPatterns,   // a list, as in .gitignore
  kSelectors,  // a list of codes, beginnings of codes, names, "ALL"
  kPerFile,    // a table: pattern = list of selectors
  kPerRule,    // a table: selector = one of `choices`
};

// Whose file decides when several apply to one run.
enum class Scope : std::uint8_t {
  kFile,  // the file closest to each checked file
  kRun,   // the file closest to the working directory: it concerns the run as a whole
};

struct Option {
  std::string_view key;
  Type type;
  Scope scope;
  std::string_view flag;               // of `check`; empty: only in files
  std::string_view description;        // one sentence, no full stop
  std::string_view example;            // a TOML value
  std::string_view default_text = {};  // "true", "medium"; empty: none
  std::span<const std::string_view> default_words = {};
  std::span<const std::string_view> choices = {};
  // Values of several layers are put together; else the last one stands.
  bool adds = false;
};

std::span<const Option> Options();
const Option* FindOption(std::string_view key);             // nullptr when unknown
std::string_view NearestOption(std::string_view misspelt);  // empty when none is near

Value DefaultOf(const Option& option);

// "a list of selectors, such as [\"TLK1\"]": for messages about a wrong type.
std::string Expected(const Option& option);

// What is wrong with one word of a value (the text, a member of a list, the right side of a table),
// or empty.
std::string WordProblem(const Option& option, std::string_view word);
// The same for the left side of a table.
std::string KeyProblem(const Option& option, std::string_view key);

// ruff's: virtual environments, caches, build products, version control.
std::span<const std::string_view> DefaultExcludes();

// As it would stand in a file: `["TLK1"]`, `"full"`, `{ "tests/*" = ["TLK1"] }`. Empty for a text
// that is not set.
std::string ToToml(const Option& option, const Value& value);
std::string QuotedToml(std::string_view text);

}  // namespace torchleak::config
