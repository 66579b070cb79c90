#include "driver/file_check.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "driver/parallel.h"
#include "driver/suppression_pass.h"
#include "engine/analyze.h"
#include "text/notebook.h"
#include "text/read.h"

namespace torchleak::driver {
namespace {

// Is its source needed for a report?
bool Needed(const FileResult& result) {
  return !result.findings.empty() || !result.suppressed.empty();
}

}  // namespace

bool IsQuiet(const FileResult& result) {
  return result.checked && !result.parsed && !result.notification && result.findings.empty() &&
         result.suppressed.empty() && !result.source;
}

FileResult FileCheck::FromDisk(const std::string& absolute) {
  // Most files are read, scanned and forgotten: one buffer for each thread serves them all.
  thread_local std::string buffer;
  text::ReadError error;
  if (!text::ReadInto(absolute, text::Source::MaxBytes(absolute), &buffer, &error)) {
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

FileResult FileCheck::FromBytes(std::string_view bytes) {
  FileResult result;
  result.checked = true;
  result.bytes = bytes.size();
  // A notebook's outputs may hold the same words as its code, so its code is what is scanned; and
  // one that cannot be read is told of, whatever it holds.
  if (text::IsNotebook(path_))
    return FromSource(text::Source::FromBytes(path_, std::string(bytes)), bytes.size());
  // A NUL byte means a binary file or UTF-16: said even when no rule would look at the file.
  bool has_nul = bytes.find('\0') != std::string_view::npos;
  if (!has_nul && !MayMatter(bytes)) return CommentsOf(bytes, std::move(result));
  if (!options_.single_file) {  // the rest is the project's matter
    result.parsed = true;
    return result;
  }
  return Alone(text::Source::FromBytes(path_, std::string(bytes)), std::move(result));
}

void FileCheck::Complete(const ProjectRun::Outcome& outcome, FileResult* result) const {
  if (outcome.found == nullptr) {
    result->parsed = false;
    result->notification = Failed(outcome.error, Notification::Level::kWarning).notification;
  } else if (const ParsedPtr& parsed = outcome.found->parsed) {
    Take(outcome.found->findings, parsed->source, parsed->tree, outcome.found->complete, result);
    if (Needed(*result)) result->source = parsed->source;
  }
}

FileResult FileCheck::FromSource(text::Result<text::Source> source, std::size_t bytes) {
  FileResult result;
  result.checked = true;
  result.bytes = bytes;
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
bool FileCheck::MayMatter(std::string_view bytes) const {
  return engine::MayMatter(
      bytes, RulesOfCode(options_.single_file ? std::span(options_.rules) : engine::AllRules()));
}

FileResult FileCheck::Alone(text::Result<text::Source> source, FileResult result) {
  if (!source) {
    FileResult failed = Failed(source.error().message, Notification::Level::kWarning);
    failed.checked = true;
    failed.bytes = result.bytes;
    return failed;
  }
  result.parsed = true;
  const syntax::Tree tree = syntax::Parse(*source);
  engine::Surrounding alone;
  if (item_.settings != nullptr) alone.target = item_.settings->target_version;
  std::vector<findings::Finding> found =
      engine::Analyze(*source, tree, options_.rules, alone).findings;
  // Alone, a file does not show what the others make of it: nothing in it is called unused.
  Take(std::move(found), *source, tree, false, &result);
  if (Needed(result)) result.source = *std::move(source);
  return result;
}

// No rule can fire, so that whatever is suppressed here is suppressed in vain. A comment must not
// make a difference to what is found: the code is not analysed.
FileResult FileCheck::CommentsOf(std::string_view bytes, FileResult result) const {
  if (!engine::MayMatter(bytes, RulesOfSuppressions(options_.rules))) return result;
  auto source = text::Source::FromBytes(path_, std::string(bytes));
  return source ? CommentsOf(*std::move(source), std::move(result)) : result;
}
FileResult FileCheck::CommentsOf(text::Source source, FileResult result) const {
  if (!engine::MayMatter(source.code(), RulesOfSuppressions(options_.rules))) return result;
  const syntax::Tree tree = syntax::Parse(source);
  Take({}, source, tree, tree.errors().empty() && !options_.single_file, &result);
  if (Needed(result)) result.source = std::move(source);
  return result;
}

// Fingerprints come first, and what is too weak goes last: comments change no fingerprint, and
// what suppresses a weak finding is in use.
void FileCheck::Take(std::vector<findings::Finding> found, const text::Source& source,
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

bool FileCheck::IsReported(const findings::Finding& finding) const {
  return item_.settings == nullptr ? finding.confidence >= options_.min_confidence
                                   : item_.settings->Reports(finding, item_.absolute);
}

// Those that the settings of this file select.
std::vector<const engine::Rule*> FileCheck::RulesHere() const {
  std::vector<const engine::Rule*> rules = options_.rules;
  std::erase_if(rules, [this](const engine::Rule* rule) {
    return item_.settings != nullptr && !item_.settings->Selects(rule->info().code, item_.absolute);
  });
  return rules;
}

FileResult FileCheck::Failed(std::string message, Notification::Level level) const {
  // Messages of the text layer may begin with the path, which the notification has already.
  if (message.starts_with(path_ + ": ")) message.erase(0, path_.size() + 2);
  FileResult result;
  result.notification = Notification{path_, std::move(message), level};
  return result;
}

// The work list is sorted by size, biggest first; results land in a vector by file, so that no lock
// is needed and the order of completion leaves no trace.
std::vector<FileResult> CheckEach(const CheckOptions& options, const std::vector<Item>& items) {
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

}  // namespace torchleak::driver
