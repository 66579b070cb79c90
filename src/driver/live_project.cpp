// What a LiveProject holds, and what it is asked; how it is brought up to date: live_update.cpp.
#include "driver/live_project.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "text/notebook.h"
#include "text/read.h"

namespace torchleak::driver {
namespace {

// What an editor holds is decoded: the same bytes on disk may mean another text.
cache::Hash128 ContentOfText(std::string_view text) {
  cache::Hash128 content = cache::HashOf(text);
  content.low ^= 1;
  return content;
}

std::string_view TextOf(const text::Source& source) {
  return source.notebook() != nullptr ? source.notebook()->raw() : source.bytes();
}

}  // namespace

LiveProject::LiveProject(Options options)
    : whole_(options.whole),
      most_imported_(options.most_imported),
      texts_(std::make_unique<LiveTexts>()) {
  options_.root = std::move(options.root);
  SetSettings(std::move(options.settings));
  options_.jobs = options.jobs;
  options_.paths = {options_.root};
  // All of them: a file's settings then choose, and no file's settings matter to another.
  options_.rules.assign(engine::AllRules().begin(), engine::AllRules().end());
}

LiveProject::~LiveProject() = default;

// What holds for the run, as the command line takes it.
void LiveProject::SetSettings(std::shared_ptr<const config::SettingsIndex> settings) {
  options_.settings = std::move(settings);
  if (options_.settings == nullptr) return;
  options_.respect_gitignore = options_.settings->run().respect_gitignore;
  options_.single_file = options_.settings->run().single_file;
}

// A configuration that cannot be read is told by the survey; until it can, that of before holds.
void LiveProject::Configure(File* file) {
  if (options_.settings == nullptr) return;
  auto settings = options_.settings->ForFile(file->item.absolute);
  if (settings) file->item.settings = *std::move(settings);
  file->excluded = IsExcluded(file->item.absolute, DiscoveryPart(options_));
}

// Is it the project that says what is in the file?
bool LiveProject::IsSeen(const File& file) const {
  return file.scan.parsed && !file.excluded && !options_.single_file;
}

const LiveProject::File* LiveProject::At(std::string_view path) const {
  const auto file = files_.find(path);
  return file == files_.end() ? nullptr : &file->second;
}

ParsedPtr LiveProject::OpenFile(std::string_view path) const { return texts_->At(path); }

void LiveProject::Put(const std::string& path, text::Result<text::Source> source) {
  auto [file, is_new] = files_.try_emplace(path);
  if (is_new) {
    file->second.item = {path, DisplayPath(path, options_.root), nullptr, 0, nullptr};
    Configure(&file->second);
    ResetImports();
  }
  file->second.open = true;
  arrived_.insert_or_assign(path, std::move(source));
  dirty_.insert(path);
  is_up_to_date_ = false;
}

void LiveProject::Drop(const std::string& path) {
  const auto file = files_.find(path);
  if (file == files_.end() || !file->second.open) return;
  arrived_.erase(path);
  parsers_.erase(path);
  texts_->Remove(path);
  file->second.open = false;
  is_up_to_date_ = false;
  if (file->second.on_disk) {
    dirty_.insert(path);
    return;
  }
  dirty_.erase(path);
  Note(file->second);
  files_.erase(file);
  ResetImports();
}

void LiveProject::Take(Survey survey) {
  texts_->ForgetDisk();
  read_.clear();
  const bool same_settings = survey.settings == options_.settings;
  SetSettings(std::move(survey.settings));
  for (auto& [path, file] : files_) {
    file.on_disk = false;
    if (same_settings) continue;
    file.found = nullptr;  // is to be made into findings again
    if (!file.open) continue;
    Configure(&file);
    dirty_.insert(path);
  }
  for (std::size_t i = 0; i < survey.items.size(); ++i) {
    Item& item = survey.items[i];
    File& file = files_[item.absolute];
    file.on_disk = true;
    texts_->SetContent(item.absolute, survey.results[i].content);
    if (file.open) continue;
    file.item = std::move(item);
    file.scan = std::move(survey.results[i]);
    if (!IsSeen(file)) FinishUnseen(&file);
  }
  for (auto file = files_.begin(); file != files_.end();) {
    const bool gone = !file->second.on_disk && !file->second.open;
    if (gone) Note(file->second);
    file = gone ? files_.erase(file) : std::next(file);
  }
  ResetImports();
  is_up_to_date_ = false;
}

// Files came or went: an import may mean another one.
void LiveProject::ResetImports() {
  analysis_ = nullptr;
  maps_ = nullptr;
}

void LiveProject::Scan(File* file) {
  const std::string& path = file->item.absolute;
  FileCheck check(options_, file->item);
  const auto arrived = arrived_.find(path);
  if (arrived == arrived_.end() && file->open) {  // other settings, the same text
    const ParsedPtr parsed = texts_->At(path);
    if (parsed == nullptr) return;
    const cache::Hash128 content = file->scan.content;
    file->scan = check.FromSource(parsed->source, TextOf(parsed->source).size());
    file->scan.content = content;
    return;
  }
  if (arrived == arrived_.end()) {
    // A pipe that has taken its place would be waited for.
    file->scan = text::IsRegularFile(path) ? check.FromDisk(path)
                                           : check.FromSource(text::Error{"is no file"}, 0);
    texts_->SetContent(path, file->scan.content);
    return;
  }
  text::Result<text::Source> source = std::move(arrived->second);
  arrived_.erase(arrived);
  if (!source) {
    texts_->Put(path, nullptr, {}, ContentOfText(source.error().message));
    file->scan = check.FromSource(source.error(), 0);
    return;
  }
  const auto parsed = std::make_shared<const Parsed>(
      *std::move(source), [&](const text::Source& text) { return parsers_[path].Parse(text); });
  const std::string_view bytes = TextOf(parsed->source);
  const cache::Hash128 content = ContentOfText(bytes);
  texts_->Put(path, parsed, std::string(bytes), content);
  file->scan = check.FromSource(parsed->source, bytes.size());
  file->scan.content = content;
}

FindingSet LiveProject::All() const {
  FindingSet set;
  for (const auto& [path, file] : files_) {
    const FileResult& result = file.result;
    set.findings.insert(set.findings.end(), result.findings.begin(), result.findings.end());
    set.suppressed.insert(set.suppressed.end(), result.suppressed.begin(), result.suppressed.end());
    if (result.notification) set.notifications.push_back(*result.notification);
    if (result.source) set.sources.emplace(result.source->path(), *result.source);
  }
  std::stable_sort(set.findings.begin(), set.findings.end(), findings::Before);
  return set;
}

FindingSet LiveProject::AllWith(const std::vector<Buffer>& texts) {
  std::vector<std::pair<std::string, ParsedPtr>> before;  // null: it was not open
  std::set<std::string> changed = changed_;
  for (const Buffer& text : texts) {
    const std::string path = AbsolutePath(text.path, options_.root);
    before.emplace_back(path, texts_->At(path));
    Put(path, text::Source::FromText(DisplayPath(path, options_.root), text.bytes));
  }
  Update();
  FindingSet set = All();
  for (auto& [path, parsed] : before) {
    if (parsed == nullptr) {
      Drop(path);
    } else {
      Put(path, parsed->source);
    }
  }
  Update();
  changed_ = std::move(changed);
  return set;
}

std::vector<std::string> LiveProject::TakeChanged() {
  std::vector<std::string> changed(changed_.begin(), changed_.end());
  changed_.clear();
  return changed;
}

const text::Source* LiveProject::SourceOf(std::string_view path) {
  if (const ParsedPtr parsed = texts_->At(path)) return &parsed->source;
  const File* file = At(path);
  if (file != nullptr && file->result.source) return &*file->result.source;
  auto [known, is_new] = read_.try_emplace(std::string(path));
  if (is_new) {
    auto bytes = text::IsRegularFile(known->first) ? text::ReadFile(known->first)
                                                   : text::Result<std::string>(text::Error{});
    if (bytes) {
      auto source = text::Source::FromBytes(DisplayPath(path, options_.root), *std::move(bytes));
      if (source) known->second = *std::move(source);
    }
  }
  return known->second ? &*known->second : nullptr;
}

std::optional<LiveProject::Around> LiveProject::AroundOf(const std::string& path) const {
  if (analysis_ == nullptr || !analysis_->run().Has(path)) return std::nullopt;
  return Around{analysis_->run().SurroundingsOf(path), analysis_->run().FactsOf(path)};
}

}  // namespace torchleak::driver
