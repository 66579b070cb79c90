#include "driver/baseline_check.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "baseline/revision.h"
#include "project/paths.h"

namespace torchleak::driver {
namespace {

namespace fs = std::filesystem;

std::string FolderOfFile(const std::string& file, const std::string& root) {
  return std::string(project::FolderOf(AbsolutePath(file, root)));
}

std::vector<baseline::Entry> EntriesBelow(const FindingSet& set, const std::string& root,
                                          const std::string& folder) {
  baseline::Lookup lookup;
  lookup.source_of = [&set](std::string_view path) { return set.SourceOf(path); };
  lookup.entry_path = [&](std::string_view path) {
    return fs::path(AbsolutePath(path, root)).lexically_relative(folder).generic_string();
  };
  return baseline::EntriesOf(set.findings, lookup);
}

// The last two moves of every comparison.
void KeepFresh(const baseline::Comparison& comparison, FindingSet* set) {
  std::vector<findings::Finding> fresh;
  for (const std::size_t i : comparison.fresh) fresh.push_back(std::move(set->findings[i]));
  for (const std::size_t i : comparison.known) set->known.push_back(std::move(set->findings[i]));
  set->findings = std::move(fresh);
  std::stable_sort(set->known.begin(), set->known.end(), findings::Before);
}

// Which entries a run should have found again.
class Scope {
 public:
  Scope(const CheckOptions& options, const FindingSet& set, std::string folder)
      : options_(options), folder_(std::move(folder)) {
    for (const std::string& path : set.checked) seen_.insert(AbsolutePath(path, options.root));
    // What could not be read in full may still hold what is missing.
    for (const Notification& n : set.notifications) seen_.erase(AbsolutePath(n.path, options.root));
    for (const findings::Finding& f : set.findings) {
      if (f.code == kSyntaxError) seen_.erase(AbsolutePath(f.location.path, options.root));
    }
  }

  bool Covers(const baseline::Entry& entry) const {
    const std::string path = AbsolutePath(entry.path, folder_);
    if (!Selects(entry.rule, path)) return false;
    if (seen_.contains(path)) return true;
    std::error_code error;
    return !fs::exists(path, error) && !error &&
           std::any_of(options_.paths.begin(), options_.paths.end(), [&](const std::string& p) {
             return project::IsWithin(path, AbsolutePath(p, options_.root));
           });
  }

 private:
  bool Selects(std::string_view code, const std::string& path) const {
    if (options_.settings != nullptr) {
      const auto settings = options_.settings->ForFile(path);
      return settings && (*settings)->Selects(code, path);
    }
    return std::any_of(options_.rules.begin(), options_.rules.end(),
                       [&](const engine::Rule* rule) { return rule->info().code == code; });
  }

  static constexpr std::string_view kSyntaxError = "TLK000";
  const CheckOptions& options_;
  std::string folder_;
  std::set<std::string, std::less<>> seen_;
};

findings::Confidence MinConfidence(const CheckOptions& options) {
  return options.settings == nullptr ? options.min_confidence
                                     : options.settings->run().min_confidence;
}

}  // namespace

Against ApplyBaseline(const CheckOptions& options, const baseline::Baseline& baseline,
                      const std::string& file, FindingSet* set) {
  const std::string folder = FolderOfFile(file, options.root);
  const Scope scope(options, *set, folder);
  std::vector<baseline::Entry> now = EntriesBelow(*set, options.root, folder);
  const baseline::Comparison comparison = baseline::Compare(now, baseline.entries);
  Against result;
  result.left = baseline;
  result.left.entries.clear();
  // Looking at less than the baseline does says nothing of what is missing.
  const bool sees_all = MinConfidence(options) <= baseline.confidence && !options.single_file;
  for (const std::size_t i : comparison.gone) {
    const baseline::Entry& entry = baseline.entries[i];
    (sees_all && scope.Covers(entry) ? result.gone : result.left.entries).push_back(entry);
  }
  for (const std::size_t i : comparison.known) result.left.entries.push_back(std::move(now[i]));
  KeepFresh(comparison, set);
  return result;
}

baseline::Baseline UpdatedBaseline(const CheckOptions& options, const baseline::Baseline& old,
                                   const std::string& file, const FindingSet& set) {
  const std::string folder = FolderOfFile(file, options.root);
  const Scope scope(options, set, folder);
  baseline::Baseline result;
  result.comment = old.comment;
  result.confidence = MinConfidence(options);
  result.entries = EntriesBelow(set, options.root, folder);
  const baseline::Comparison comparison = baseline::Compare(result.entries, old.entries);
  for (const std::size_t i : comparison.gone) {
    if (!scope.Covers(old.entries[i])) result.entries.push_back(old.entries[i]);
  }
  return result;
}

std::optional<text::Error> ApplyRevision(const CheckOptions& options, const std::string& revision,
                                         const SettingsFor& settings_for, FindingSet* set) {
  // Where the checked files are, which need not be where the command was given.
  std::string place = options.root;
  std::error_code error_code;
  if (!options.paths.empty()) place = AbsolutePath(options.paths.front(), options.root);
  if (!fs::is_directory(place, error_code)) place = std::string(project::FolderOf(place));
  auto opened = baseline::Revision::Open(revision, place);
  if (!opened) return opened.error();
  const baseline::Revision& then = **opened;
  // The same place in the folder that stands for the top of the repository.
  const MovePath moved = [&](const std::string& absolute) -> std::optional<std::string> {
    if (!project::IsWithin(absolute, then.top())) return std::nullopt;
    return then.folder() + absolute.substr(then.top().size());
  };
  CheckOptions past = options;
  past.paths.clear();
  past.buffers.clear();
  past.use_cache = false;
  past.root = moved(options.root).value_or(then.folder());
  std::vector<std::string> paths = options.paths;
  for (const Buffer& buffer : options.buffers) paths.push_back(buffer.path);
  for (const std::string& path : paths) {
    std::error_code error;
    const auto at = moved(AbsolutePath(path, options.root));
    if (at && fs::exists(*at, error)) past.paths.push_back(*at);  // else: all of it is new
  }
  for (std::string& pattern : past.excludes) pattern = moved(pattern).value_or(pattern);
  if (past.settings != nullptr) {
    auto settings = settings_for(past.root, moved);
    if (!settings) return settings.error();
    past.settings = *std::move(settings);
  }
  const auto checked = Check(past);
  if (!checked) return checked.error();
  std::vector<baseline::Entry> entries = EntriesBelow(*checked, past.root, then.folder());
  for (baseline::Entry& entry : entries) entry.path = then.NameNow(entry.path);
  const std::vector<baseline::Entry> now = EntriesBelow(*set, options.root, then.top());
  KeepFresh(baseline::Compare(now, entries), set);
  return std::nullopt;
}

}  // namespace torchleak::driver
