// The words that an option takes, kept with its declaration: what --help, the completions and the
// manual page say is read from there and never listed twice.
//
//   Choices(command.add_option("--color", …), kColorNames);
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class Option;
}

namespace torchleak::cli {

inline constexpr std::array<std::string_view, 3> kSeverityNames = {"note", "warning", "error"};
inline constexpr std::array<std::string_view, 3> kConfidenceNames = {"low", "medium", "high"};
inline constexpr std::array<std::string_view, 3> kColorNames = {"auto", "always", "never"};

// CLI11 knows no words of an option that it does not check itself (and its own message names no
// nearest one), so they lie in the name of the option's type, which nothing else uses.
CLI::Option* Choices(CLI::Option* option, std::span<const std::string_view> words);
// As declared; none for an option that takes anything.
std::vector<std::string> ChoicesOf(const CLI::Option& option);

}  // namespace torchleak::cli
