// The last part of a fix run: from memory to the disk, group by group.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "driver/fix_run.h"
#include "driver/replace_file.h"

namespace torchleak::driver {
namespace {

void CleanFolders(const CheckOptions& options) {
  std::set<std::string> folders;
  for (const DiscoveredFile& file : Discover(DiscoveryPart(options)).files) {
    folders.insert(file.path.substr(0, std::max<std::size_t>(1, file.path.rfind('/'))));
  }
  RemoveLeftovers(std::vector<std::string>(folders.begin(), folders.end()));
}

// What could not be written, by group.
std::map<std::size_t, Notification> WriteGroups(const std::vector<FixedFile>& files) {
  std::map<std::size_t, std::vector<FileChange>> groups;
  for (const FixedFile& file : files) {
    if (file.is_buffer) continue;
    groups[file.group].push_back({file.absolute, file.before.raw(), file.after.raw()});
  }
  std::map<std::size_t, Notification> failed;
  for (const auto& [group, changes] : groups) {
    const auto error = ReplaceFiles(changes);
    if (!error) continue;
    const auto file = std::find_if(files.begin(), files.end(),
                                   [&](const FixedFile& f) { return f.absolute == error->path; });
    failed.emplace(group, Notification{file->path, error->message, Notification::Level::kError});
  }
  return failed;
}

}  // namespace

text::Result<bool> WriteFixes(const CheckOptions& options, const CheckFunction& check,
                              FixPlan* plan) {
  CleanFolders(options);
  std::map<std::size_t, Notification> failed = WriteGroups(plan->files);
  if (failed.empty()) return true;
  std::erase_if(plan->files, [&](const FixedFile& file) {
    if (!failed.contains(file.group)) return false;
    for (const auto& [code, fixed] : file.fixed) plan->fixed -= fixed.count;
    return true;
  });
  // Their findings are still there, and may matter to those of other files.
  CheckOptions again = options;
  for (const FixedFile& file : plan->files) {
    for (Buffer& buffer : again.buffers) {
      if (AbsolutePath(buffer.path, again.root) == file.absolute) buffer.bytes = file.after.raw();
    }
  }
  auto set = check(again);
  if (!set) return set.error();
  plan->remaining = std::move(*set);
  auto& notifications = plan->remaining.notifications;
  for (auto& [group, notification] : failed) notifications.push_back(std::move(notification));
  std::stable_sort(notifications.begin(), notifications.end(),
                   [](const Notification& a, const Notification& b) { return a.path < b.path; });
  return false;
}

}  // namespace torchleak::driver
