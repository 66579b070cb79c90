// Watches are set before each check, so that what changes during it leads to another one. On a
// terminal each report begins with an empty screen; elsewhere what is said between reports goes to
// standard error, and standard output holds the reports alone.
#include "cli/watch.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "cli/changes.h"
#include "cli/check_plan.h"
#include "cli/commands.h"
#include "cli/status.h"
#include "cli/terminal.h"
#include "driver/check.h"
#include "driver/discovery.h"

namespace torchleak::cli {
namespace {

using Wake = Changes::Wake;

// Does the working directory still have its name? A checkout may have replaced it by another.
bool IsHere(const std::string& root) {
  struct stat here {};
  struct stat named {};
  return stat(".", &here) == 0 && stat(root.c_str(), &named) == 0 && here.st_ino == named.st_ino &&
         here.st_dev == named.st_dev;
}

class Watch {
 public:
  Watch(const CheckArguments& arguments, const std::function<int()>& check)
      : arguments_(arguments), check_(check), root_(WorkingDirectory()), changes_(Polls()) {}

  int Run() {
    for (bool first = true;; first = false) {
      if (!first && !Return()) return status_;
      // What is wrong at the start ends it, with a message; later the configuration is being
      // edited.
      if (!Understand() && first) return check_();
      Follow();
      if (!first) Separate();
      status_ = check_();
      const KeepInterrupts keep;
      Say(fmt::format("Watching {} file{}; press Ctrl-C to stop\n", files_,
                      files_ == 1 ? "" : "s"));
      if (changes_.Wait() != Wake::kChanged) return status_;
    }
  }

 private:
  bool Understand() {
    auto plan = Interpret(arguments_, root_);
    if (!plan || Configure(arguments_, &*plan)) return false;
    plan_ = *std::move(plan);
    return true;
  }

  static bool Polls() {
    const char* polls = std::getenv("TORCHLEAK_WATCH_POLL");
    return polls != nullptr && *polls != '\0' && std::string_view(polls) != "0";
  }

  void Say(std::string_view text) const {
    if (!arguments_.quiet && !arguments_.silent) WriteAll(STDERR_FILENO, text);
  }

  // Waits for the working directory when it has been deleted. False: interrupted meanwhile.
  bool Return() {
    if (IsHere(root_)) return true;
    bool said = false;
    while (chdir(root_.c_str()) != 0) {
      if (!said) PrintWarning(root_ + " is gone; waiting for it to come back");
      said = true;
      changes_.Watch(Above());
      const KeepInterrupts keep;
      // It may have come back before the watches were set.
      if (access(root_.c_str(), F_OK) == 0) continue;
      if (changes_.Wait() != Wake::kChanged) return false;
    }
    return true;
  }

  // The folders above what was given: it may be deleted and come back, and settings may lie there.
  WatchedPaths Above() const {
    WatchedPaths watched;
    std::vector<std::string> given = {root_};
    for (const std::string& path : plan_.options.paths) {
      given.push_back(driver::AbsolutePath(path, root_));
    }
    if (plan_.config.config_file) {
      given.push_back(driver::AbsolutePath(*plan_.config.config_file, root_));
    }
    for (std::string& path : given) {
      while (path.size() > 1 && watched.exact.insert(path).second) {
        path = std::filesystem::path(path).parent_path().string();
        watched.above.insert(path);
      }
    }
    if (!plan_.config.user_folder.empty()) watched.above.insert(plan_.config.user_folder);
    return watched;
  }

  void Follow() {
    // A folder made between the listing and its watch would be missed: list until nothing is new.
    constexpr int kMostTimes = 4;
    const driver::DiscoveryOptions part = driver::DiscoveryPart(plan_.options);
    for (int i = 0; i < kMostTimes; ++i) {
      driver::Discovery discovery = driver::Discover(part);
      files_ = discovery.files.size();
      WatchedPaths watched = Above();
      watched.folders.insert(discovery.folders.begin(), discovery.folders.end());
      // A configuration file somewhere below is broken, and the walk ended there.
      if (discovery.error) watched.folders.insert(before_.begin(), before_.end());
      for (const driver::DiscoveredFile& file : discovery.files) {
        // A path given by hand, whatever its name; what it imports often lies beside it.
        watched.folders.insert(std::filesystem::path(file.path).parent_path().string());
      }
      for (const std::string& folder : watched.folders) watched.above.erase(folder);
      watched.ignored.insert(plan_.options.cache_dir);
      if (!plan_.baseline.empty()) {
        watched.ignored.insert(driver::AbsolutePath(plan_.baseline, root_));
      }
      for (const Output& output : plan_.outputs) {
        if (!output.file.empty()) {
          watched.ignored.insert(driver::AbsolutePath(output.file, root_));
        }
      }
      watched.excluded = [part, keep = plan_.options.settings](const std::string& path) {
        return driver::IsExcluded(path, part);
      };
      const bool settled = i > 0 && watched.folders == before_;
      if (settled) break;
      before_ = watched.folders;
      const bool was_told = changes_.is_told();
      changes_.Watch(std::move(watched));
      if (was_told && !changes_.is_told()) {
        PrintWarning(
            "too many folders for inotify (fs.inotify.max_user_watches); looking twice a second");
      }
    }
  }

  void Separate() const {
    if (arguments_.silent) return;
    if (IsLiveTerminal(STDOUT_FILENO)) {
      WriteAll(STDOUT_FILENO, "\x1b[2J\x1b[H");
      return;
    }
    const std::set<std::string>& changed = changes_.changed();
    std::string what = changed.size() == 1 && !changed.begin()->empty()
                           ? driver::DisplayPath(*changed.begin(), root_)
                           : fmt::format("{} paths", changed.size());
    Say(fmt::format("---- changed: {} ----\n", what));
  }

  const CheckArguments& arguments_;
  const std::function<int()>& check_;
  std::string root_;
  Changes changes_;
  CheckPlan plan_;
  std::set<std::string> before_;  // folders of the last check
  std::size_t files_ = 0;
  int status_ = kExitClean;
};

}  // namespace

int WatchAndCheck(const CheckArguments& arguments, const std::function<int()>& check) {
  if (arguments.show_files) {
    return UsageError("check", "--watch checks again and again; --show-files lists once");
  }
  auto plan = Interpret(arguments, WorkingDirectory());
  if (plan && plan->reads_stdin) {
    return UsageError("check", "--watch watches files; standard input cannot be read twice");
  }
  return Watch(arguments, check).Run();
}

}  // namespace torchleak::cli
