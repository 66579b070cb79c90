#include "driver/check.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "driver/cached_check.h"
#include "driver/check_trace.h"
#include "driver/file_check.h"
#include "driver/pipes.h"
#include "driver/project_check.h"
#include "text/read.h"

namespace torchleak::driver {
namespace {

std::vector<Item> Items(const CheckOptions& options, const Discovery& discovery) {
  std::vector<Item> items;
  DiscoveryOptions part = DiscoveryPart(options);
  for (const Buffer& buffer : options.buffers) {
    std::string absolute = AbsolutePath(buffer.path, options.root);
    if (options.force_exclude && IsExcluded(absolute, part)) continue;
    std::string display = DisplayPath(absolute, options.root);
    items.push_back(
        {std::move(absolute), std::move(display), &buffer, buffer.bytes.size(), nullptr});
  }
  const std::size_t buffers = items.size();
  for (const DiscoveredFile& file : discovery.files) {
    const bool held =
        std::any_of(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(buffers),
                    [&](const Item& item) { return item.absolute == file.path; });
    if (held) continue;  // the buffer stands for it
    items.push_back({file.path, DisplayPath(file.path, options.root), nullptr, file.size, nullptr});
  }
  return items;
}

// Gives each file its settings, and the options the rules of all of them.
std::optional<text::Error> Configure(std::vector<Item>* items, CheckOptions* options) {
  if (options->settings == nullptr) return std::nullopt;
  std::vector<config::SettingsPtr> distinct;
  for (Item& item : *items) {
    auto settings = options->settings->ForFile(item.absolute);
    if (!settings) return settings.error();
    item.settings = *std::move(settings);
    if (std::find(distinct.begin(), distinct.end(), item.settings) == distinct.end()) {
      distinct.push_back(item.settings);
    }
  }
  // Without a file a report still names the rules that would have been used.
  options->rules =
      distinct.empty() ? options->settings->run().rules : config::UnionOfRules(distinct);
  return std::nullopt;
}

// After the check: what it saw of each file. The project reads files of its own accord; that must
// have been the same.
void TraceFiles(const std::vector<Item>& items, const std::vector<FileResult>& results,
                CheckTrace* trace) {
  std::unordered_map<std::string_view, cache::Hash128> read;
  for (const cache::Observation& seen : trace->seen) {
    if (seen.query == cache::Query::kContent) read.emplace(seen.path, seen.content);
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    const FileResult& result = results[i];
    trace->files.push_back({items[i].absolute, result.checked, result.content, result.bytes,
                            result.parsed, IsQuiet(result), HashOfSettings(items[i].settings)});
    const auto again = read.find(items[i].absolute);
    if (again != read.end() && again->second != result.content) trace->consistent = false;
    if (result.source) trace->sources.emplace(items[i].display, result.content);
  }
}

// What an editor or standard input holds for that path.
std::optional<std::string> BufferAt(const CheckOptions& options, const std::string& absolute) {
  for (const Buffer& buffer : options.buffers) {
    if (AbsolutePath(buffer.path, options.root) == absolute) return buffer.bytes;
  }
  return std::nullopt;
}

// Steps lead into files that have no finding themselves.
void AddStepSources(const CheckOptions& options, FindingSet* set, CheckTrace* trace) {
  for (const findings::Finding& finding : set->findings) {
    for (const findings::Step& step : finding.flow) {
      if (set->sources.contains(step.location.path)) continue;
      const std::string absolute = AbsolutePath(step.location.path, options.root);
      std::optional<std::string> bytes = BufferAt(options, absolute);
      if (!bytes) {
        auto read = text::ReadFile(absolute);
        if (!read) continue;
        bytes = *std::move(read);
      }
      if (trace != nullptr) trace->sources.emplace(step.location.path, cache::HashOf(*bytes));
      auto source = text::Source::FromBytes(step.location.path, *std::move(bytes));
      if (source) set->sources.emplace(step.location.path, *std::move(source));
    }
  }
}

void Collect(FileResult result, FindingSet* set) {
  set->counts.checked += result.checked;
  set->counts.parsed += result.parsed;
  set->counts.bytes += result.bytes;
  if (result.parsed) set->counts.parsed_bytes += result.bytes;
  if (result.notification) set->notifications.push_back(*std::move(result.notification));
  std::move(result.findings.begin(), result.findings.end(), std::back_inserter(set->findings));
  std::move(result.suppressed.begin(), result.suppressed.end(),
            std::back_inserter(set->suppressed));
  if (result.source) {
    std::string path = result.source->path();
    set->sources.emplace(std::move(path), *std::move(result.source));
  }
}

}  // namespace

DiscoveryOptions DiscoveryPart(const CheckOptions& options) {
  return {.paths = options.paths,
          .root = options.root,
          .respect_gitignore = options.respect_gitignore,
          .force_exclude = options.force_exclude,
          .excludes = options.excludes,
          .settings = options.settings.get()};
}

bool IsQuiet(const CheckOptions& options, const std::string& path, std::string_view bytes) {
  Item item{path, DisplayPath(path, options.root), nullptr, bytes.size(), nullptr};
  if (options.settings == nullptr) return IsQuiet(FileCheck(options, item).FromBytes(bytes));
  auto settings = options.settings->ForFile(path);
  if (!settings) return false;
  item.settings = *std::move(settings);
  CheckOptions all = options;
  all.rules.assign(engine::AllRules().begin(), engine::AllRules().end());
  return IsQuiet(FileCheck(all, item).FromBytes(bytes));
}

std::vector<std::string> GivenFolders(const CheckOptions& options) {
  std::vector<std::string> folders;
  for (const std::string& path : options.paths) folders.push_back(AbsolutePath(path, options.root));
  return folders;
}

cache::Hash128 HashOfSettings(const config::SettingsPtr& settings) {
  if (settings == nullptr) return {};
  // Patterns begin at the folder of their file: the same words elsewhere mean other files.
  std::vector<std::string> all = settings->files;
  all.push_back(settings->AnalysisKey());
  return HashOfList(all);
}

cache::Hash128 HashOfList(const std::vector<std::string>& paths) {
  std::string all;
  for (const std::string& path : paths) all.append(path).push_back('\0');
  return cache::HashOf(all);
}

text::Result<FindingSet> CheckFiles(const CheckOptions& given, Discovery discovery,
                                    CheckTrace* trace) {
  CheckOptions options = given;
  if (discovery.error) return *std::move(discovery.error);
  std::vector<Item> items = Items(options, discovery);
  if (auto error = Configure(&items, &options)) return *std::move(error);
  std::vector<FileResult> results = CheckEach(options, items);
  FindingSet set;
  if (!options.single_file) AsProject(options, items, &results, &set.counts, trace);
  if (trace != nullptr) TraceFiles(items, results, trace);
  set.counts.discovered = items.size();
  set.rules = options.rules;
  set.notifications = std::move(discovery.notifications);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (results[i].checked) set.checked.push_back(items[i].display);
    Collect(std::move(results[i]), &set);
  }
  std::sort(set.checked.begin(), set.checked.end());
  AddStepSources(options, &set, trace);
  std::stable_sort(set.findings.begin(), set.findings.end(), findings::Before);
  std::stable_sort(set.suppressed.begin(), set.suppressed.end(),
                   [](const auto& a, const auto& b) { return Before(a.finding, b.finding); });
  std::stable_sort(set.notifications.begin(), set.notifications.end(),
                   [](const Notification& a, const Notification& b) { return a.path < b.path; });
  return set;
}

text::Result<FindingSet> Check(const CheckOptions& given) {
  if (!given.root.starts_with('/')) {
    return text::Error{"the root of a check must be an absolute path, not '" + given.root + "'"};
  }
  const CheckOptions options = WithPipesRead(given);
  if (options.use_cache && options.buffers.empty()) return CachedCheck(options);
  return CheckFiles(options, Discover(DiscoveryPart(options)), nullptr);
}

}  // namespace torchleak::driver
