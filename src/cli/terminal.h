// The streams of the process: colour, width, writing until done.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace torchleak::cli {

enum class ColorChoice { kAuto, kAlways, kNever };
std::optional<ColorChoice> ParseColorChoice(std::string_view name);

// The first of these that says something decides:
//   --color always, never
//   NO_COLOR, not empty                          no
//   CLICOLOR_FORCE, FORCE_COLOR, neither empty nor 0   yes
//   FORCE_COLOR=0, CLICOLOR=0                    no
//   a terminal behind `fd`                       yes, unless TERM=dumb
bool UseColor(ColorChoice choice, int fd);

// A terminal where a line may be drawn over: not a pipe, not TERM=dumb.
bool IsLiveTerminal(int fd);

// Does the terminal behind `fd` show OSC 8 links? Judged by the names that terminals give
// themselves; FORCE_HYPERLINK=1 or 0 decides otherwise.
bool UseHyperlinks(int fd);

// Columns of the terminal behind `fd`, else COLUMNS, else 80; at least 40.
std::size_t TerminalWidth(int fd);

enum class Written { kAll, kClosedPipe, kFailed };
// Writes everything. `kClosedPipe`: the reader went away (`torchleak check | head -1`), which is
// its good right and worth no message; `kFailed`: errno says why.
Written WriteAll(int fd, std::string_view text);

// "error: <message>", "warning: …" or "note: …" on standard error, the first word coloured.
void PrintError(std::string_view message, ColorChoice color = ColorChoice::kAuto);
void PrintWarning(std::string_view message, ColorChoice color = ColorChoice::kAuto);
// "PATH: MESSAGE", on one line whatever the path is.
void PrintAbout(std::string_view path, std::string_view message, bool is_error,
                ColorChoice color = ColorChoice::kAuto);
void PrintNote(std::string_view message, ColorChoice color = ColorChoice::kAuto);

// Prints to standard output and gives the exit status: `status`, also when the reader closed the
// pipe early (the verdict does not depend on who reads it), or 2 with a message when writing
// failed.
int PrintAndReturn(std::string_view text, int status);

}  // namespace torchleak::cli
