#include "cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <initializer_list>
#include <system_error>

#include "cli/status.h"
#include "report/terminal.h"

namespace torchleak::cli {
namespace {

bool IsSet(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool IsOff(const char* name) { return IsSet(name) && std::string_view(std::getenv(name)) == "0"; }

bool IsOn(const char* name) { return IsSet(name) && !IsOff(name); }

// Messages repeat names and arguments, and these may hold escape sequences.
std::string PrintableRows(std::string_view text) {
  std::string rows;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    rows += (at == 0 ? "" : "\n") + report::Printable(text.substr(at, end - at));
    at = end + 1;
  }
  return rows;
}

void Print(std::string_view label, std::string_view style, std::string_view message,
           ColorChoice color) {
  bool styled = UseColor(color, STDERR_FILENO);
  WriteAll(STDERR_FILENO, fmt::format("{}{}:{} {}\n", styled ? style : "", label,
                                      styled ? "\x1b[0m" : "", PrintableRows(message)));
}

}  // namespace

std::optional<ColorChoice> ParseColorChoice(std::string_view name) {
  if (name == "auto") return ColorChoice::kAuto;
  if (name == "always") return ColorChoice::kAlways;
  if (name == "never") return ColorChoice::kNever;
  return std::nullopt;
}

bool UseColor(ColorChoice choice, int fd) {
  if (choice != ColorChoice::kAuto) return choice == ColorChoice::kAlways;
  if (IsSet("NO_COLOR")) return false;
  if (IsOn("CLICOLOR_FORCE") || IsOn("FORCE_COLOR")) return true;
  if (IsOff("FORCE_COLOR") || IsOff("CLICOLOR")) return false;
  return IsLiveTerminal(fd);
}

bool IsLiveTerminal(int fd) {
  const char* term = std::getenv("TERM");
  return isatty(fd) == 1 && !(term != nullptr && std::string_view(term) == "dumb");
}

bool UseHyperlinks(int fd) {
  if (IsSet("FORCE_HYPERLINK")) return IsOn("FORCE_HYPERLINK");
  if (isatty(fd) != 1) return false;
  if (IsSet("VTE_VERSION")) return std::strtoul(std::getenv("VTE_VERSION"), nullptr, 10) >= 5000;
  if (IsSet("WT_SESSION") || IsSet("KITTY_WINDOW_ID") || IsSet("DOMTERM")) return true;
  auto one_of = [](const char* name, std::initializer_list<std::string_view> values) {
    return IsSet(name) && std::find(values.begin(), values.end(),
                                    std::string_view(std::getenv(name))) != values.end();
  };
  return one_of("TERM_PROGRAM", {"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper"}) ||
         one_of("TERM", {"xterm-kitty", "alacritty", "foot", "xterm-ghostty"});
}

std::size_t TerminalWidth(int fd) {
  constexpr std::size_t kDefault = 80, kLeast = 40;
  std::size_t width = kDefault;
  struct winsize size {};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    width = size.ws_col;
  } else if (IsSet("COLUMNS")) {
    unsigned long columns = std::strtoul(std::getenv("COLUMNS"), nullptr, 10);
    if (columns > 0 && columns < 10'000) width = columns;
  }
  return std::max(width, kLeast);
}

Written WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno == EPIPE ? Written::kClosedPipe : Written::kFailed;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return Written::kAll;
}

void PrintError(std::string_view message, ColorChoice color) {
  Print("error", "\x1b[1;31m", message, color);
}

void PrintWarning(std::string_view message, ColorChoice color) {
  Print("warning", "\x1b[1;33m", message, color);
}

void PrintAbout(std::string_view path, std::string_view message, bool is_error, ColorChoice color) {
  // A line end in a name must not begin a line: build services take some for commands.
  const std::string text = fmt::format("{}: {}", report::Printable(path), message);
  is_error ? PrintError(text, color) : PrintWarning(text, color);
}

void PrintNote(std::string_view message, ColorChoice color) {
  Print("note", "\x1b[1;36m", message, color);
}

int PrintAndReturn(std::string_view text, int status) {
  if (WriteAll(STDOUT_FILENO, text) != Written::kFailed) return status;
  PrintError(
      fmt::format("cannot write to standard output: {}", std::generic_category().message(errno)));
  return kExitError;
}

}  // namespace torchleak::cli
