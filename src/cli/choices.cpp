#include "cli/choices.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace torchleak::cli {

CLI::Option* Choices(CLI::Option* option, std::span<const std::string_view> words) {
  return option->type_name(fmt::format("{}|", fmt::join(words, "|")));
}

std::vector<std::string> ChoicesOf(const CLI::Option& option) {
  std::string type = option.get_type_name();
  std::vector<std::string> words;
  if (!type.ends_with('|')) return words;  // CLI11's own name: TEXT, UINT
  for (std::size_t at = 0; at < type.size();) {
    std::size_t end = type.find('|', at);
    words.push_back(type.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace torchleak::cli
