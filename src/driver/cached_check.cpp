#include "driver/cached_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <utility>

#include "cache/store.h"
#include "driver/cache_entry.h"
#include "driver/check_trace.h"
#include "driver/parallel.h"
#include "driver/roots.h"
#include "driver/users.h"
#include "project/paths.h"
#include "text/read.h"

namespace torchleak::driver {
namespace {

// Compares an entry with the disk of now.
class Replay {
 public:
  Replay(const CheckOptions& options, const Discovery& discovery, CacheEntry entry)
      : options_(options), discovery_(discovery), entry_(std::move(entry)) {}

  // Nothing, and `why` it does not stand any more.
  std::optional<FindingSet> Run(std::string* why) {
    if (!(SameFiles() && SameRoots() && SameAnswers() && TakeSources())) {
      *why = why_;
      return std::nullopt;
    }
    FindingSet set = std::move(entry_.set);
    set.sources = std::move(sources_);
    set.rules = std::move(rules_);
    set.counts.discovered = now_.size();
    set.counts.checked = 0;
    set.counts.bytes = 0;
    for (const CheckTrace::File& file : now_) {
      if (!file.readable) continue;
      ++set.counts.checked;
      set.counts.bytes += file.bytes;
      set.checked.push_back(DisplayPath(file.path, options_.root));
    }
    std::sort(set.checked.begin(), set.checked.end());
    return set;
  }

 private:
  bool Stale(std::string_view what, std::string_view path) {
    why_ = fmt::format("{}: {}", what, path);
    return false;
  }

  // Every needed file is there with its content; the others are such that no rule looks at them.
  bool SameFiles() {
    if (entry_.complaints != discovery_.notifications)
      return Stale("other files", "cannot be read");
    std::vector<const CacheEntry::File*> before(discovery_.files.size());
    auto old = entry_.files.cbegin();
    for (std::size_t i = 0; i < discovery_.files.size(); ++i) {
      for (; old != entry_.files.end() && old->file.path < discovery_.files[i].path; ++old) {
        if (old->needed) return Stale("gone", old->file.path);
      }
      if (old != entry_.files.end() && old->file.path == discovery_.files[i].path) {
        before[i] = &*old++;
      }
    }
    for (; old != entry_.files.end(); ++old) {
      if (old->needed) return Stale("gone", old->file.path);
    }
    now_.resize(before.size());
    if (!TakeSettings()) return false;
    std::atomic<std::size_t> stale{before.size()};
    ParallelFor(before.size(), options_.jobs, [&](std::size_t i) {
      if (stale < before.size()) return;
      now_[i].path = discovery_.files[i].path;
      if (!SameFile(before[i], &now_[i])) stale = i;
    });
    return stale == before.size() || Stale("changed", discovery_.files[stale].path);
  }

  // Of each file of now; their rules are those of the run.
  bool TakeSettings() {
    rules_ = options_.rules;
    if (options_.settings == nullptr) return true;
    std::map<config::SettingsPtr, cache::Hash128> hashes;
    std::vector<config::SettingsPtr> distinct;
    for (std::size_t i = 0; i < now_.size(); ++i) {
      auto settings = options_.settings->ForFile(discovery_.files[i].path);
      if (!settings) return Stale("no settings for", discovery_.files[i].path);
      const auto [known, fresh] = hashes.try_emplace(*settings);
      if (fresh) {
        known->second = HashOfSettings(*settings);
        distinct.push_back(*settings);
      }
      now_[i].settings = known->second;
    }
    rules_ = config::UnionOfRules(distinct);
    return true;
  }

  bool SameFile(const CacheEntry::File* before, CheckTrace::File* now) const {
    thread_local std::string buffer;
    text::ReadError error;
    now->readable = text::ReadInto(now->path, text::Source::MaxBytes(now->path), &buffer, &error);
    now->content = cache::HashOf(now->readable ? buffer : error.message);
    now->bytes = buffer.size();
    if (before != nullptr && before->file.content == now->content &&
        before->file.readable == now->readable && before->file.settings == now->settings) {
      return true;
    }
    if ((before != nullptr && before->needed) || !now->readable) return false;
    return IsQuiet(options_, now->path, buffer);
  }

  bool SameRoots() {
    if (options_.single_file) return true;
    std::vector<std::string> parsed, tops;
    for (const auto& [file, needed] : entry_.files) {
      if (file.parsed) parsed.push_back(file.path);
    }
    const auto roots = ImportRoots(parsed, GivenFolders(options_), options_.root);
    std::copy_if(roots.begin(), roots.end(), std::back_inserter(tops), IsProjectTop);
    if (roots != entry_.trace.roots || tops != entry_.trace.tops) return Stale("other", "roots");
    for (const auto& [folder, hash] : entry_.trace.below) {
      if (HashOfList(FilesBelow(folder)) != hash) return Stale("other files below", folder);
    }
    return true;
  }

  bool SameAnswers() {
    project::DiskTree disk;
    std::string bytes;
    for (const cache::Observation& seen : entry_.trace.seen) {
      if (!cache::Holds(seen, &disk, &bytes)) return Stale("changed", seen.path);
    }
    return true;
  }

  // Read once more: what is shown must be what was compared.
  bool TakeSources() {
    for (const auto& [path, hash] : entry_.trace.sources) {
      auto bytes = text::ReadFile(AbsolutePath(path, options_.root));
      if (!bytes || cache::HashOf(*bytes) != hash) return Stale("changed", path);
      auto source = text::Source::FromBytes(path, *std::move(bytes));
      if (!source) return Stale("changed", path);
      sources_.emplace(path, *std::move(source));
    }
    return true;
  }

  const CheckOptions& options_;
  const Discovery& discovery_;
  CacheEntry entry_;
  std::vector<CheckTrace::File> now_;
  std::vector<const engine::Rule*> rules_;
  std::map<std::string, text::Source, std::less<>> sources_;
  std::string why_;
};

}  // namespace

text::Result<FindingSet> CachedCheck(const CheckOptions& options) {
  Discovery discovery = Discover(DiscoveryPart(options));
  if (discovery.error) return *std::move(discovery.error);
  if (cache::HashOfThisProgram() == cache::Hash128{}) {
    auto set = CheckFiles(options, std::move(discovery), nullptr);
    if (set) set->cache = "no cache: this program's own file cannot be read";
    return set;
  }
  const cache::Store store(options.cache_dir);
  const cache::Hash128 key = KeyOf(options);
  std::string why = "no entry yet";
  if (const auto bytes = store.Load(key)) {
    auto entry = Unpacked(*bytes, options);
    why = "an entry that cannot be read";
    if (entry) {
      if (auto set = Replay(options, discovery, *std::move(entry)).Run(&why)) {
        set->cache = fmt::format("taken from {}", options.cache_dir);
        return *std::move(set);
      }
    }
  }
  CheckTrace trace;
  std::vector<Notification> complaints = discovery.notifications;
  auto set = CheckFiles(options, std::move(discovery), &trace);
  if (!set) return set;
  auto entry = MakeEntry(options, std::move(complaints), std::move(trace), *set);
  const std::string failed = entry ? store.Save(key, Packed(*entry)) : entry.error().message;
  set->cache = failed.empty() ? fmt::format("checked anew ({}), kept in {}", why, options.cache_dir)
                              : fmt::format("checked anew ({}), not kept: {}", why, failed);
  return set;
}

std::string DefaultCacheFolder(const std::vector<std::string>& paths, const std::string& root) {
  std::vector<std::string> starts;
  if (!paths.empty()) starts.push_back(AbsolutePath(paths.front(), root));
  starts.push_back(root);
  for (const std::string& start : starts) {
    for (std::string at = start;; at = project::FolderOf(at)) {
      if (IsProjectTop(at)) return project::Join(at, cache::kFolderName);
      if (at == "/") break;
    }
  }
  return project::Join(root, cache::kFolderName);
}

}  // namespace torchleak::driver
