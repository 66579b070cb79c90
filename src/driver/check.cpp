// The work list is sorted by size, biggest first; results land in a vector by file, so that no lock
// is needed and the order of completion leaves no trace.
#include "driver/check.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "driver/cached_check.h"
#include "driver/check_trace.h"
#include "driver/parallel.h"
#include "driver/project_run.h"
#include "driver/read.h"
#include "driver/roots.h"
#include "driver/suppression_pass.h"
#include "driver/users.h"
#include "engine/analyze.h"
#include "project/paths.h"
#include "text/notebook.h"

namespace torchleak::driver {
namespace {

struct FileResult {
  std::vector<findings::Finding> findings;
  std::vector<findings::Suppressed> suppressed;
  std::optional<text::Source> source;  // only when there are findings, suppressed or not
  std::optional<Notification> notification;
  std::uint64_t bytes = 0;
  bool checked = false, parsed = false;
  cache::Hash128 content;  // of the bytes on disk, or of why they cannot be read
};

bool IsQuiet(const FileResult& result) {
  return result.checked && !result.parsed && !result.notification && result.findings.empty() &&
         result.suppressed.empty() && !result.source;
}

struct Item {
  std::string absolute, display;
  const Buffer* buffer;  // or null: on disk
  std::uint64_t size;
  config::SettingsPtr settings;  // null: those of the options
};

class FileCheck {
 public:
  FileCheck(const CheckOptions& options, const Item& item)
      : options_(options), item_(item), path_(item.display) {}

  FileResult FromDisk(const std::string& absolute) {
    // Most files are read, scanned and forgotten: one buffer for each thread serves them all.
    thread_local std::string buffer;
    ReadError error;
    if (!ReadInto(absolute, text::Source::MaxBytes(absolute), &buffer, &error)) {
      auto level = error.too_large ? Notification::Level::kWarning : Notification::Level::kError;
      std::string what = error.too_large ? error.message : "cannot be read: " + error.message;
      FileResult failed = Failed(std::move(what), level);
      failed.content = cache::HashOf(error.message);
      return failed;
    }
    FileResult result = FromBytes(buffer);
    result.content = cache::HashOf(buffer);
    // A generated giant must not stay with the thread for the rest of the run.
    constexpr std::size_t kKeep = std::size_t{1} << 20;
    if (buffer.capacity() > kKeep) std::string().swap(buffer);
    return result;
  }

  FileResult FromBytes(std::string_view bytes) {
    FileResult result;
    result.checked = true;
    result.bytes = bytes.size();
    if (text::IsNotebook(path_)) return FromNotebook(bytes);
    // A NUL byte means a binary file or UTF-16: said even when no rule would look at the file.
    bool has_nul = bytes.find('\0') != std::string_view::npos;
    if (!has_nul && !MayMatter(bytes)) return CommentsOf(bytes, std::move(result));
    if (!options_.single_file) {  // the rest is the project's matter
      result.parsed = true;
      return result;
    }
    return Alone(text::Source::FromBytes(path_, std::string(bytes)), std::move(result));
  }

  // What the project's analysis says of the file, after FromDisk or FromBytes.
  void Complete(ProjectRun::Outcome outcome, FileResult* result) const {
    if (!outcome.analyzed) {
      result->parsed = false;
      result->notification =
          Failed(std::move(outcome.error), Notification::Level::kWarning).notification;
    } else if (outcome.parsed != nullptr) {
      const ProjectRun::Parsed& parsed = *outcome.parsed;
      Take(std::move(outcome.findings), parsed.source, parsed.tree, outcome.complete, result);
      if (Needed(*result)) result->source = std::move(outcome.parsed->source);
    }
  }

 private:
  // A notebook's outputs may hold the same words as its code, so its code is what is scanned; and
  // one that cannot be read is told of, whatever it holds.
  FileResult FromNotebook(std::string_view bytes) {
    FileResult result;
    result.checked = true;
    result.bytes = bytes.size();
    auto source = text::Source::FromBytes(path_, std::string(bytes));
    if (source && !MayMatter(source->code()))
      return CommentsOf(*std::move(source), std::move(result));
    if (source && !options_.single_file) {
      result.parsed = true;
      return result;
    }
    return Alone(std::move(source), std::move(result));
  }

  // A project's files tell of each other: whether train.py empties what model.py fills must not
  // depend on which rules were selected.
  bool MayMatter(std::string_view bytes) const {
    return engine::MayMatter(
        bytes, RulesOfCode(options_.single_file ? std::span(options_.rules) : engine::AllRules()));
  }

  FileResult Alone(text::Result<text::Source> source, FileResult result) {
    if (!source) {
      FileResult failed = Failed(source.error().message, Notification::Level::kWarning);
      failed.checked = true;
      failed.bytes = result.bytes;
      return failed;
    }
    result.parsed = true;
    const syntax::Tree tree = syntax::Parse(*source);
    std::vector<findings::Finding> found = engine::Analyze(*source, tree, options_.rules).findings;
    // Alone, a file does not show what the others make of it: nothing in it is called unused.
    Take(std::move(found), *source, tree, false, &result);
    if (Needed(result)) result.source = *std::move(source);
    return result;
  }

  // No rule can fire, so that whatever is suppressed here is suppressed in vain. A comment must not
  // make a difference to what is found: the code is not analysed.
  FileResult CommentsOf(std::string_view bytes, FileResult result) const {
    if (!engine::MayMatter(bytes, RulesOfSuppressions(options_.rules))) return result;
    auto source = text::Source::FromBytes(path_, std::string(bytes));
    return source ? CommentsOf(*std::move(source), std::move(result)) : result;
  }
  FileResult CommentsOf(text::Source source, FileResult result) const {
    if (!engine::MayMatter(source.code(), RulesOfSuppressions(options_.rules))) return result;
    const syntax::Tree tree = syntax::Parse(source);
    Take({}, source, tree, tree.errors().empty() && !options_.single_file, &result);
    if (Needed(result)) result.source = std::move(source);
    return result;
  }

  // Fingerprints come first, and what is too weak goes last: comments change no fingerprint, and
  // what suppresses a weak finding is in use.
  void Take(std::vector<findings::Finding> found, const text::Source& source,
            const syntax::Tree& tree, bool complete, FileResult* result) const {
    result->findings = std::move(found);
    std::stable_sort(result->findings.begin(), result->findings.end(), findings::Before);
    findings::SetFingerprints(result->findings, source.path(), source);
    const std::vector<const engine::Rule*> rules = RulesHere();
    const SuppressionOptions suppression{rules, options_.ignore_noqa, complete};
    result->suppressed = ApplySuppressions(source, tree, suppression, &result->findings);
    std::erase_if(result->findings, [&](const auto& f) { return !IsReported(f); });
    std::erase_if(result->suppressed, [&](const auto& s) { return !IsReported(s.finding); });
    if (item_.settings == nullptr) return;
    for (findings::Finding& finding : result->findings) item_.settings->Adjust(&finding);
    for (findings::Suppressed& s : result->suppressed) item_.settings->Adjust(&s.finding);
  }

  bool IsReported(const findings::Finding& finding) const {
    return item_.settings == nullptr ? finding.confidence >= options_.min_confidence
                                     : item_.settings->Reports(finding, item_.absolute);
  }

  // Those that the settings of this file select.
  std::vector<const engine::Rule*> RulesHere() const {
    std::vector<const engine::Rule*> rules = options_.rules;
    std::erase_if(rules, [this](const engine::Rule* rule) {
      return item_.settings != nullptr &&
             !item_.settings->Selects(rule->info().code, item_.absolute);
    });
    return rules;
  }

  static bool Needed(const FileResult& result) {
    return !result.findings.empty() || !result.suppressed.empty();
  }

  FileResult Failed(std::string message, Notification::Level level) const {
    // Messages of the text layer may begin with the path, which the notification has already.
    if (message.starts_with(path_ + ": ")) message.erase(0, path_.size() + 2);
    FileResult result;
    result.notification = Notification{path_, std::move(message), level};
    return result;
  }

  const CheckOptions& options_;
  const Item& item_;
  const std::string& path_;
};

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

// Each file by itself; or, for a project, read and scanned only.
std::vector<FileResult> EachFile(const CheckOptions& options, const std::vector<Item>& items) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return items[a].size > items[b].size; });
  std::vector<FileResult> results(items.size());
  Begin(options.progress, Progress::Phase::kReading, items.size());
  ParallelFor(order.size(), options.jobs, [&](std::size_t i) {
    const Item& item = items[order[i]];
    FileCheck check(options, item);
    results[order[i]] = item.buffer != nullptr ? check.FromBytes(item.buffer->bytes)
                                               : check.FromDisk(item.absolute);
    Step(options.progress);
  });
  return results;
}

// Files that nobody gave, and that use those in which something was found.
std::vector<std::string> UsersBeyond(project::FileTree* tree, std::span<const std::string> roots,
                                     std::span<const std::string> given,
                                     std::span<const std::string> paths,
                                     std::span<const ProjectRun::Outcome> outcomes,
                                     CheckTrace* trace) {
  std::vector<std::string> found, users;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (!outcomes[i].findings.empty()) found.push_back(paths[i]);
  }
  for (const std::string& root : roots) {
    const bool covered = std::any_of(given.begin(), given.end(), [&](const std::string& g) {
      return project::IsWithin(root, g);
    });
    if (covered || found.empty() || !IsProjectTop(root)) continue;
    std::vector<std::string> mine;
    for (const std::string& path : found) {
      if (project::IsWithin(path, root)) mine.push_back(path);
    }
    if (mine.empty()) continue;
    const std::vector<std::string> below = FilesBelow(root);
    if (trace != nullptr) trace->below.emplace(root, HashOfList(below));
    for (std::string& user : UsersOf(tree, root, mine, below)) {
      if (std::find(paths.begin(), paths.end(), user) == paths.end())
        users.push_back(std::move(user));
    }
  }
  return users;
}

// Those files in which a rule can fire, with what they import.
void AsProject(const CheckOptions& options, const std::vector<Item>& items,
               std::vector<FileResult>* results, Counts* counts, CheckTrace* trace) {
  project::DiskTree disk;
  cache::RecordingTree recording(&disk);
  project::FileTree* below = &disk;
  if (trace != nullptr) below = &recording;
  project::OverlayTree tree(below);
  std::vector<std::string> paths;
  std::vector<std::size_t> of_path;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].buffer != nullptr) tree.Put(items[i].absolute, items[i].buffer->bytes);
    if (!(*results)[i].parsed) continue;
    paths.push_back(items[i].absolute);
    of_path.push_back(i);
  }
  const std::vector<std::string> given = GivenFolders(options);
  const std::vector<std::string> roots = ImportRoots(paths, given, options.root);
  ProjectRun run(&tree, roots, options.root, paths);
  counts->imported = run.imported_only();
  std::vector<ProjectRun::Outcome> outcomes =
      run.Run(options.rules, options.jobs, options.progress);
  // Single files of a project: what is found in them may look different to those who call them.
  const std::vector<std::string> users = UsersBeyond(&tree, roots, given, paths, outcomes, trace);
  if (!users.empty()) {
    std::vector<std::string> all = paths;
    all.insert(all.end(), users.begin(), users.end());
    ProjectRun wider(&tree, roots, options.root, all);
    outcomes = wider.Run(options.rules, options.jobs, options.progress);
  }
  for (std::size_t i = 0; i < paths.size(); ++i) {
    FileCheck(options, items[of_path[i]]).Complete(std::move(outcomes[i]), &(*results)[of_path[i]]);
  }
  if (trace == nullptr) return;
  trace->roots = roots;
  std::copy_if(roots.begin(), roots.end(), std::back_inserter(trace->tops), IsProjectTop);
  trace->seen = recording.Observations();
  trace->consistent = !recording.contradicts_itself();
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
        auto read = ReadFile(absolute);
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
  return {options.paths,         options.root,     options.respect_gitignore,
          options.force_exclude, options.excludes, options.settings.get()};
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
  std::vector<FileResult> results = EachFile(options, items);
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

text::Result<FindingSet> Check(const CheckOptions& options) {
  if (!options.root.starts_with('/')) {
    return text::Error{"the root of a check must be an absolute path, not '" + options.root + "'"};
  }
  if (options.use_cache && options.buffers.empty()) return CachedCheck(options);
  return CheckFiles(options, Discover(DiscoveryPart(options)), nullptr);
}

}  // namespace torchleak::driver
