// What the pages tell people to type: it ends with the status they name and prints what they show.
// README.md of this folder has the syntax.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "files.h"
#include "markdown.h"

namespace torchleak::tests {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kElided = "…";

struct Outcome {
  int status = 0;
  std::vector<std::string> lines;  // of both streams
};

// A folder that looks like the checkout as far as the pages speak of it.
class Place {
 public:
  Place() : folder_(fs::temp_directory_path() / fmt::format("torchleak-docs-{}", getpid())) {
    const fs::path checkout = TORCHLEAK_SOURCE_DIR;
    for (const char* part : {"fixtures/scripts", "docs/examples"}) {
      fs::create_directories(folder_ / part);
      fs::copy(checkout / part, folder_ / part, fs::copy_options::recursive);
    }
    fs::create_directories(folder_ / ".git");  // the top of the project, as in a checkout
    fs::create_directories(folder_ / ".bin");
    fs::create_symlink(TORCHLEAK_BINARY, folder_ / ".bin/torchleak");
    std::ofstream(folder_ / "dev") << fmt::format(
        "case $1 in run) shift; exec torchleak \"$@\" ;; esac\n"
        "bash '{}/dev' help | grep -q \"^\\./dev $1 \"\n",
        TORCHLEAK_SOURCE_DIR);
    fs::permissions(folder_ / "dev", fs::perms::owner_all);
  }
  ~Place() { fs::remove_all(folder_); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  Outcome Run(const std::string& command) const {
    const std::string shell = fmt::format(
        "exec 2>&1; cd '{0}' && export PATH='{0}/.bin:'$PATH COLUMNS=100 && unset NO_COLOR "
        "FORCE_COLOR "
        "CLICOLOR_FORCE FORCE_HYPERLINK && {1}",
        folder_.string(), command.starts_with("./dev ") ? "bash " + command : command);
    FILE* pipe = popen(shell.c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string text;
    std::array<char, 4096> buffer{};
    for (std::size_t n = 1; n > 0;) {
      n = fread(buffer.data(), 1, buffer.size(), pipe);
      text.append(buffer.data(), n);
    }
    const int status = pclose(pipe);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, Lines(text)};
  }

 private:
  fs::path folder_;
};

bool IsOurs(std::string_view command) {
  return command.starts_with("torchleak ") || command.starts_with("./dev ");
}

// `shown` with … standing for any lines.
bool Matches(const std::vector<std::string>& shown, const std::vector<std::string>& printed) {
  const auto gap = std::find(shown.begin(), shown.end(), kElided);
  if (gap == shown.end()) return shown == printed;
  const auto head = gap - shown.begin(), tail = shown.end() - gap - 1;
  return static_cast<std::ptrdiff_t>(printed.size()) >= head + tail &&
         std::equal(shown.begin(), gap, printed.begin()) &&
         std::equal(gap + 1, shown.end(), printed.end() - tail);
}

// Runs the commands of a console block; gives the lines that it should have.
std::vector<std::string> Console(const Place& place, const std::vector<std::string>& block) {
  std::vector<std::string> out;
  Outcome last;
  for (std::size_t i = 0; i < block.size();) {
    const std::string& line = block[i++];
    out.push_back(line);
    std::vector<std::string> shown;
    while (i < block.size() && !block[i].starts_with("$ ")) shown.push_back(block[i++]);
    std::vector<std::string> printed;
    if (line == "$ echo $?") {
      printed = {std::to_string(last.status)};
    } else if (line.starts_with("$ ") && IsOurs(std::string_view(line).substr(2))) {
      last = place.Run(line.substr(2));
      CHECK_MESSAGE((last.status >= 0 && last.status <= 2), line, ": exit status ", last.status);
      printed = last.status <= 2 ? last.lines : shown;  // a crash is not to be documented
    } else {
      FAIL_CHECK("not a command of ours: " << line);
    }
    const std::vector<std::string>& keep = Matches(shown, printed) ? shown : printed;
    out.insert(out.end(), keep.begin(), keep.end());
  }
  return out;
}

std::string Join(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST_CASE("console blocks show what is printed") {
  const Place place;
  std::size_t blocks = 0;
  for (const std::string& page : FilesBelow(".", ".md")) {
    std::vector<std::string> lines = Lines(ReadFile(page));
    const std::vector<Fence> fences = Fences(lines);
    const std::vector<std::string> before = lines;
    for (auto fence = fences.rbegin(); fence != fences.rend(); ++fence) {
      if (fence->language != "console") continue;
      ++blocks;
      const auto first = lines.begin() + static_cast<std::ptrdiff_t>(fence->first);
      const auto last = lines.begin() + static_cast<std::ptrdiff_t>(fence->last);
      const std::vector<std::string> shown(first, last), printed = Console(place, shown);
      if (shown == printed) continue;
      if (!Updating()) {
        FAIL_CHECK(page << ":" << fence->first << ": this is printed (docs/update writes it):\n"
                        << Join(printed));
      }
      lines.insert(lines.erase(first, last), printed.begin(), printed.end());
    }
    if (lines != before) HoldsOrUpdated(page, Join(lines));
  }
  CHECK_GE(blocks, 3);
}

TEST_CASE("commands in sh blocks end with the status that stands there") {
  constexpr std::string_view kStatus = "exit status ";
  const Place place;
  std::size_t commands = 0;
  for (const std::string& page : FilesBelow(".", ".md")) {
    const std::vector<std::string> lines = Lines(ReadFile(page));
    for (const Fence& fence : Fences(lines)) {
      if (fence.language != "sh") continue;
      for (std::size_t i = fence.first; i < fence.last; ++i) {
        if (!IsOurs(lines[i])) continue;
        const std::size_t note = lines[i].rfind(kStatus);
        const int wanted =
            note == std::string::npos ? 0 : std::atoi(&lines[i][note + kStatus.size()]);
        const Outcome outcome = place.Run(lines[i]);
        CHECK_MESSAGE(outcome.status == wanted, page, ":", i + 1, ": ", lines[i], "\n",
                      Join(outcome.lines));
        ++commands;
      }
    }
  }
  CHECK_GE(commands, 10);
}

TEST_CASE("the runner sees what is wrong") {
  const Place place;
  CHECK_EQ(place.Run("torchleak check no-such-file").status, 2);
  CHECK_EQ(place.Run("./dev no-such-command").status, 1);
  CHECK_EQ(place.Run("./dev test").status, 0);
  CHECK(Matches({"a", "…", "d"}, {"a", "b", "c", "d"}));
  CHECK_FALSE(Matches({"a", "…", "d"}, {"a", "b", "c"}));
  CHECK_FALSE(Matches({"a"}, {"a", "b"}));
  const std::vector<std::string> wrong{"$ torchleak version", "torchleak of another time"};
  CHECK_NE(Console(place, wrong), wrong);
}

}  // namespace
}  // namespace torchleak::tests
