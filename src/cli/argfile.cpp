// Files are expanded from a stack, and their number is bounded, so a file that names itself ends in
// a message.
#include "cli/argfile.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "text/read.h"

namespace torchleak::cli {
namespace {

constexpr std::size_t kMostFiles = 100;

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) lines.emplace_back(line);
    at = end + 1;
  }
  return lines;
}

}  // namespace

text::Result<std::vector<std::string>> ExpandArgfiles(std::vector<std::string> arguments) {
  std::vector<std::string> expanded;
  std::vector<std::string> pending(arguments.rbegin(), arguments.rend());
  std::size_t files = 0;
  bool only_paths = false;
  while (!pending.empty()) {
    std::string argument = std::move(pending.back());
    pending.pop_back();
    if (only_paths || argument.size() < 2 || argument.front() != '@') {
      only_paths |= argument == "--";
      expanded.push_back(std::move(argument));
      continue;
    }
    if (++files > kMostFiles) {
      return text::Error{fmt::format("{}: more than {} argument files; does one name itself?",
                                     argument, kMostFiles)};
    }
    auto text = text::ReadFile(argument.substr(1));
    if (!text) return text::Error{"argument file " + text.error().message};
    std::vector<std::string> lines = Lines(*text);
    pending.insert(pending.end(), lines.rbegin(), lines.rend());
  }
  return expanded;
}

std::vector<std::string> WithPathsFirst(std::vector<std::string> arguments) {
  auto argument = std::find(arguments.begin(), arguments.end(), "--paths-first");
  for (; argument != arguments.end(); ++argument) {
    std::error_code error;
    const bool odd = argument->starts_with('-') || argument->starts_with('@');
    if (odd && std::filesystem::is_regular_file(*argument, error)) argument->insert(0, "./");
  }
  return arguments;
}

}  // namespace torchleak::cli
