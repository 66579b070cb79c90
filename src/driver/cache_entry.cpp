#include "driver/cache_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "cache/codec.h"
#include "cache/findings_codec.h"

namespace torchleak::driver {
namespace {

using cache::Hash128;
using cache::Reader;
using cache::Writer;

std::optional<cache::RuleNames> FindRule(const CheckOptions& options, std::string_view code) {
  const auto named = [](const engine::Rule* rule) {
    return cache::RuleNames{rule->info().code, rule->info().name};
  };
  for (const engine::Rule* rule : options.rules) {
    if (rule->info().code == code) return named(rule);
  }
  const engine::Rule* rule = engine::FindRule(code);
  if (rule == nullptr) return std::nullopt;
  return named(rule);
}

void Put(const std::vector<Notification>& notifications, Writer* w) {
  w->Number(notifications.size());
  for (const auto& [path, message, level] : notifications) {
    w->Text(path);
    w->Text(message);
    w->Number(static_cast<std::uint64_t>(level));
  }
}

std::vector<Notification> GetNotifications(Reader* r) {
  std::vector<Notification> notifications(r->Count());
  for (Notification& n : notifications) {
    n.path = r->Text();
    n.message = r->Text();
    n.level = r->Choice<Notification::Level>(2);
  }
  return notifications;
}

void Put(const std::vector<std::string>& paths, Writer* w) {
  w->Number(paths.size());
  for (const std::string& path : paths) w->Path(path);
}

std::vector<std::string> GetPaths(Reader* r) {
  std::vector<std::string> paths(r->Count());
  for (std::string& path : paths) path = r->Path();
  return paths;
}

void Put(const std::map<std::string, Hash128>& hashes, Writer* w) {
  w->Number(hashes.size());
  for (const auto& [path, hash] : hashes) {
    w->Path(path);
    w->Hash(hash);
  }
}

std::map<std::string, Hash128> GetHashes(Reader* r) {
  std::map<std::string, Hash128> hashes;
  for (std::size_t count = r->Count(); count > 0 && !r->failed(); --count) {
    std::string path = r->Path();
    hashes.emplace(std::move(path), r->Hash());
  }
  return hashes;
}

void Put(const std::vector<CacheEntry::File>& files, Writer* w) {
  w->Number(files.size());
  for (const auto& [file, needed] : files) {
    const auto& [path, readable, content, bytes, parsed, quiet, settings] = file;
    w->Path(path);
    w->Hash(content);
    w->Hash(settings);
    w->Number(bytes);
    w->Number((readable ? 1U : 0U) + (parsed ? 2U : 0U) + (quiet ? 4U : 0U) + (needed ? 8U : 0U));
  }
}

std::vector<CacheEntry::File> GetFiles(Reader* r) {
  std::vector<CacheEntry::File> files;
  for (std::size_t count = r->Count(); count > 0 && !r->failed(); --count) {
    auto& [file, needed] = files.emplace_back();
    file.path = r->Path();
    file.content = r->Hash();
    file.settings = r->Hash();
    file.bytes = r->Number();
    const auto flags = r->Choice<std::uint64_t>(16);
    file.readable = (flags & 1U) != 0;
    file.parsed = (flags & 2U) != 0;
    file.quiet = (flags & 4U) != 0;
    needed = (flags & 8U) != 0;
  }
  return files;
}

// As findings_codec.cpp: all members are named. Those of `counts` that depend on single files are
// counted anew.
void Put(const FindingSet& set, Writer* w) {
  const auto& [findings, known, suppressed, sources, notifications, rules, checked, counts, cache] =
      set;
  const auto& [discovered, n_checked, parsed, imported, bytes, parsed_bytes] = counts;
  static_cast<void>(sources);  // read again: CheckTrace::sources
  static_cast<void>(rules);    // from the settings
  static_cast<void>(checked);  // from the files
  static_cast<void>(cache);
  static_cast<void>(discovered);
  static_cast<void>(n_checked);
  static_cast<void>(bytes);
  cache::Write(findings, w);
  cache::Write(known, w);
  cache::Write(suppressed, w);
  Put(notifications, w);
  w->Number(parsed);
  w->Number(imported);
  w->Number(parsed_bytes);
}

FindingSet GetSet(const cache::FindRule& find_rule, Reader* r) {
  FindingSet set;
  set.findings = cache::ReadFindings(find_rule, r);
  set.known = cache::ReadFindings(find_rule, r);
  set.suppressed = cache::ReadSuppressed(find_rule, r);
  set.notifications = GetNotifications(r);
  set.counts.parsed = static_cast<std::size_t>(r->Number());
  set.counts.imported = static_cast<std::size_t>(r->Number());
  set.counts.parsed_bytes = r->Number();
  return set;
}

}  // namespace

// Names every option: a new one must be looked at here. The number of threads changes nothing.
Hash128 KeyOf(const CheckOptions& options) {
  const auto& [paths, buffers, root, settings, rules, min_confidence, jobs, ignore_noqa,
               single_file, respect_gitignore, force_exclude, excludes, progress, use_cache,
               cache_dir] = options;
  static_cast<void>(buffers);  // there are none
  static_cast<void>(jobs);
  static_cast<void>(progress);
  static_cast<void>(settings);  // those of each file are compared: CheckTrace::File
  static_cast<void>(use_cache);
  static_cast<void>(cache_dir);
  Writer w;
  w.Hash(cache::HashOfThisProgram());
  w.Text(root);
  w.Number(paths.size());
  for (const std::string& path : paths) w.Text(path);
  w.Number(rules.size());
  for (const engine::Rule* rule : rules) w.Text(rule->info().code);
  w.Number(static_cast<std::uint64_t>(min_confidence));
  for (const bool flag : {ignore_noqa, single_file, respect_gitignore, force_exclude}) w.Bool(flag);
  w.Number(excludes.size());
  for (const std::string& pattern : excludes) w.Text(pattern);
  return cache::HashOf(w.bytes());
}

std::string Packed(const CacheEntry& entry) {
  Writer w;
  Put(entry.files, &w);
  Put(entry.complaints, &w);
  cache::Write(entry.trace.seen, &w);
  Put(entry.trace.roots, &w);
  Put(entry.trace.tops, &w);
  Put(entry.trace.below, &w);
  Put(entry.trace.sources, &w);
  Put(entry.set, &w);
  return w.bytes();
}

std::optional<CacheEntry> Unpacked(std::string_view bytes, const CheckOptions& options) {
  Reader r(bytes);
  CacheEntry entry;
  entry.files = GetFiles(&r);
  entry.complaints = GetNotifications(&r);
  entry.trace.seen = cache::ReadObservations(&r);
  entry.trace.roots = GetPaths(&r);
  entry.trace.tops = GetPaths(&r);
  entry.trace.below = GetHashes(&r);
  entry.trace.sources = GetHashes(&r);
  entry.set = GetSet([&](std::string_view code) { return FindRule(options, code); }, &r);
  if (!r.AtEnd()) return std::nullopt;
  return entry;
}

text::Result<CacheEntry> MakeEntry(const CheckOptions& options,
                                   std::vector<Notification> complaints, CheckTrace trace,
                                   const FindingSet& set) {
  if (!trace.consistent) return text::Error{"files changed while they were checked"};
  std::set<std::string_view> codes;
  for (const findings::Finding& finding : set.findings) codes.insert(finding.code);
  for (const findings::Suppressed& s : set.suppressed) codes.insert(s.finding.code);
  for (const std::string_view code : codes) {
    if (!FindRule(options, code)) return text::Error{fmt::format("{} is no rule", code)};
  }
  CacheEntry entry;
  for (CheckTrace::File& file : trace.files) {
    const bool needed = !file.quiet;
    entry.files.push_back({std::move(file), needed});
  }
  trace.files.clear();
  // What both have seen is compared once, by the list of files.
  std::erase_if(trace.seen, [&](const cache::Observation& seen) {
    if (seen.query != cache::Query::kContent || !seen.yes) return false;
    const auto at = std::lower_bound(
        entry.files.begin(), entry.files.end(), seen.path,
        [](const CacheEntry::File& f, const std::string& p) { return f.file.path < p; });
    if (at == entry.files.end() || at->file.path != seen.path) return false;
    at->needed = true;
    return true;
  });
  entry.complaints = std::move(complaints);
  entry.trace = std::move(trace);
  entry.set.findings = set.findings;
  entry.set.known = set.known;
  entry.set.suppressed = set.suppressed;
  entry.set.notifications = set.notifications;
  entry.set.counts = set.counts;
  return entry;
}

}  // namespace torchleak::driver
