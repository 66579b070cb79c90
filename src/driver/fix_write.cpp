// The last part of a fix run: from memory to the disk, group by group.
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "driver/fix_run.h"
#include "driver/parallel.h"
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

// A file that is checked under two names, through a symbolic link, is written by one group.
void JoinLinks(std::vector<FixedFile>* files) {
  std::map<std::string, std::size_t> group_of;
  for (const FixedFile& file : *files) {
    std::error_code error;
    std::string real = std::filesystem::canonical(file.absolute, error).string();
    if (error) continue;
    const auto [it, fresh] = group_of.emplace(std::move(real), file.group);
    if (fresh || it->second == file.group) continue;
    const std::size_t from = file.group, into = it->second;
    for (FixedFile& other : *files) {
      if (other.group == from) other.group = into;
    }
    for (auto& [path, group] : group_of) {
      if (group == from) group = into;
    }
  }
}

// What could not be written, by group. Most of the time goes into waiting for the disk, which
// flushes many files at once as fast as one.
std::map<std::size_t, Notification> WriteGroups(const std::vector<FixedFile>& files) {
  std::map<std::size_t, std::vector<FileChange>> by_group;
  for (const FixedFile& file : files) {
    if (file.is_buffer) continue;
    by_group[file.group].push_back({file.absolute, file.before.raw(), file.after.raw()});
  }
  const std::vector<std::pair<std::size_t, std::vector<FileChange>>> groups(by_group.begin(),
                                                                            by_group.end());
  std::vector<std::optional<ReplaceError>> errors(groups.size());
  constexpr unsigned kWriters = 16;
  ParallelFor(groups.size(), kWriters,
              [&](std::size_t i) { errors[i] = ReplaceFiles(groups[i].second); });
  std::map<std::size_t, Notification> failed;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!errors[i]) continue;
    const auto file = std::find_if(files.begin(), files.end(), [&](const FixedFile& f) {
      return f.absolute == errors[i]->path;
    });
    failed.emplace(groups[i].first,
                   Notification{file->path, errors[i]->message, Notification::Level::kError});
  }
  return failed;
}

}  // namespace

text::Result<bool> WriteFixes(const CheckOptions& options, const CheckFunction& check,
                              FixPlan* plan) {
  CleanFolders(options);
  JoinLinks(&plan->files);
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
  for (auto& [group, why] : failed) plan->not_written.push_back(std::move(why));
  return false;
}

}  // namespace torchleak::driver
