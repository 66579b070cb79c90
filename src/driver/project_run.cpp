#include "driver/project_run.h"

#include <algorithm>
#include <utility>

#include "driver/discovery.h"
#include "driver/parallel.h"
#include "project/paths.h"
#include "suppress/suppressions.h"

namespace torchleak::driver {

using suppress::Suppressions;

// What one file sees of the others: only what it depends on, which is finished before it, so that
// nothing depends on which thread was faster.
class ProjectRun::View final : public flow::Surroundings {
 public:
  View(const ProjectRun& run, FileId from) : run_(run), from_(from) {}

  Found Find(std::string_view qualified) const override {
    Found found;
    const std::lock_guard lock(run_.index_mutex_);
    project::Located at = run_.index_.Locate(from_, qualified);
    if (!at) {
      const project::Resolved module = run_.index_.Resolve(from_, qualified);
      found.in_project = module.file != project::kNoFile || module.is_namespace;
      return found;
    }
    found.in_project = true;
    const auto needed = run_.graph_->DependenciesOf(from_);
    if (std::find(needed.begin(), needed.end(), at.file) == needed.end()) return found;
    found.file = run_.interfaces_[run_.PositionOf(at.file)];
    found.name = std::move(at.name);
    return found;
  }

 private:
  const ProjectRun& run_;
  FileId from_;
};

ProjectRun::ProjectRun(project::FileTree* tree, Where where, std::span<const std::string> starts)
    : tree_(tree),
      closed_(std::move(where.closed)),
      root_(std::move(where.display_root)),
      index_(tree, std::move(where.roots)) {
  for (const std::string& path : starts) starts_.push_back(index_.Add(path));
  graph_ = std::make_unique<project::ImportGraph>(&index_, starts_);
  for (const project::Component& component : graph_->components()) {
    for (const FileId id : component.files) {
      positions_.emplace(id, files_.size());
      const std::string& path = index_.path(id);
      files_.push_back({id, path, DisplayPath(path, root_)});
    }
  }
  for (std::size_t i = 0; i < starts_.size(); ++i) files_[PositionOf(starts_[i])].start = i;
  for (File& file : files_) {
    for (const FileId id : graph_->DependenciesOf(file.id)) {
      file.imports = true;
      files_[PositionOf(id)].imported = true;
    }
  }
  interfaces_.resize(files_.size());
  provisional_.resize(files_.size());
  uses_.resize(files_.size());
}

// Users before what they use: an interface that is dropped last drops no chain of others with it.
ProjectRun::~ProjectRun() {
  while (!interfaces_.empty()) interfaces_.pop_back();
  while (!provisional_.empty()) provisional_.pop_back();
}

// Null, with the reason in the outcome, when it is no text or cannot be read.
std::unique_ptr<ProjectRun::Parsed> ProjectRun::Open(std::size_t position,
                                                     std::vector<Outcome>* outcomes) const {
  const File& file = files_[position];
  std::string bytes, error = "cannot be read";
  const bool read = [&] {
    // A tree is for one thread at a time, and others look up names in it meanwhile.
    const std::lock_guard lock(index_mutex_);
    return tree_->Read(file.path, &bytes);
  }();
  if (read) {
    auto source = text::Source::FromBytes(file.display, std::move(bytes));
    if (source) return std::make_unique<Parsed>(*std::move(source));
    error = source.error().message;
  }
  if (file.start != kNoStart) (*outcomes)[file.start].error = std::move(error);
  return nullptr;
}

bool ProjectRun::IsImportedByNone(const File& file) const {
  return !file.imported && std::any_of(closed_.begin(), closed_.end(), [&](const auto& root) {
    return project::IsWithin(file.path, root);
  });
}

engine::Analyzed ProjectRun::AnalyzeOne(std::size_t position, const Parsed& parsed,
                                        std::span<const engine::Rule* const> rules) {
  const File& file = files_[position];
  const View view(*this, file.id);
  engine::Surrounding surrounding;
  if (file.imports) surrounding.files = &view;
  surrounding.wants_interface = file.imported || file.imports;
  surrounding.imported_by_none = IsImportedByNone(file);
  engine::Analyzed result = engine::Analyze(parsed.source, parsed.tree, rules, surrounding);
  if (result.forwards_do_more) forwards_do_more_ = true;
  if (file.imports && result.interface != nullptr) uses_[position] = result.interface->uses;
  if (file.imported) interfaces_[position] = std::move(result.interface);
  return result;
}

void ProjectRun::Analyze(std::size_t position, std::unique_ptr<Parsed> parsed,
                         std::span<const engine::Rule* const> rules,
                         std::vector<Outcome>* outcomes) {
  if (parsed == nullptr) return;
  const File& file = files_[position];
  if (file.start == kNoStart) rules = {};
  engine::Analyzed result = AnalyzeOne(position, *parsed, rules);
  if (file.imported || file.imports) calls_->Add(position, std::move(result.calls));
  if (file.start == kNoStart) return;
  Outcome& outcome = (*outcomes)[file.start];
  outcome.analyzed = true;
  outcome.complete = result.complete;
  outcome.findings = std::move(result.findings);
  if (!outcome.findings.empty() || Suppressions::MayComplain(parsed->source, parsed->tree))
    outcome.parsed = std::move(parsed);
}

// Files that import each other are looked at twice: the first time some of them stand alone.
void ProjectRun::InCircle(const project::Component& component,
                          std::span<const engine::Rule* const> rules,
                          std::vector<Outcome>* outcomes) {
  // Trees are kept for the second time, unless it would be too many of them.
  constexpr std::size_t kMaxKept = std::size_t{16} << 20;
  std::vector<std::unique_ptr<Parsed>> kept;
  std::size_t bytes = 0;
  for (const FileId id : component.files) {
    kept.push_back(Open(PositionOf(id), outcomes));
    if (kept.back() == nullptr) continue;
    AnalyzeOne(PositionOf(id), *kept.back(), {});
    bytes += kept.back()->source.bytes().size();
    if (bytes > kMaxKept) kept.back().reset();
  }
  for (const FileId id : component.files)
    provisional_[PositionOf(id)] = interfaces_[PositionOf(id)];
  for (std::size_t i = 0; i < component.files.size(); ++i) {
    const std::size_t position = PositionOf(component.files[i]);
    if (kept[i] == nullptr) kept[i] = Open(position, outcomes);
    Analyze(position, std::move(kept[i]), rules, outcomes);
  }
}

void ProjectRun::First(const project::Component& component,
                       std::span<const engine::Rule* const> rules, std::vector<Outcome>* outcomes) {
  if (component.files.size() > 1) return InCircle(component, rules, outcomes);
  const std::size_t position = PositionOf(component.files.front());
  Analyze(position, Open(position, outcomes), rules, outcomes);
}

flow::ProjectFacts ProjectRun::FactsAt(std::size_t position) const {
  flow::ProjectFacts facts;
  facts.callers = calls_->Of(position);
  calls_->AddLooseOf(position, &facts.loose);
  for (const FileId id : graph_->Dependents(files_[position].id)) {
    facts.uses.Add(uses_[PositionOf(id)]);
    calls_->AddLooseOf(PositionOf(id), &facts.loose);
  }
  facts.uses.Sort();
  facts.forwards_do_more = forwards_do_more_;
  return facts;
}

void ProjectRun::Again(std::size_t position, std::span<const engine::Rule* const> rules,
                       Outcome* outcome) {
  const File& file = files_[position];
  const View view(*this, file.id);
  const flow::ProjectFacts facts = FactsAt(position);
  engine::Surrounding surrounding;
  surrounding.files = &view;
  surrounding.project = &facts;
  engine::Analyzed result =
      engine::Analyze(outcome->parsed->source, outcome->parsed->tree, rules, surrounding);
  outcome->complete = result.complete;
  outcome->findings = std::move(result.findings);
}

std::vector<ProjectRun::Outcome> ProjectRun::Run(std::span<const engine::Rule* const> rules,
                                                 unsigned jobs, Progress* progress) {
  std::vector<Outcome> outcomes(starts_.size());
  std::vector<std::string> paths;
  for (const File& file : files_) paths.push_back(file.display);
  calls_ = std::make_unique<flow::JoinedCalls>(std::move(paths));
  const auto components = graph_->components();
  Begin(progress, Progress::Phase::kAnalyzing, components.size());
  ParallelInOrder(
      components.size(), jobs, [&](std::size_t i) { return std::span(components[i].dependencies); },
      [&](std::size_t i) {
        First(components[i], rules, &outcomes);
        Step(progress);
      });
  Begin(progress, Progress::Phase::kJoining, 0);
  calls_->Run();
  std::vector<std::size_t> again;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const File& file = files_[i];
    if (file.start != kNoStart && file.imported && !outcomes[file.start].findings.empty())
      again.push_back(i);
  }
  Begin(progress, Progress::Phase::kJoining, again.size());
  ParallelFor(again.size(), jobs, [&](std::size_t i) {
    Again(again[i], rules, &outcomes[files_[again[i]].start]);
    Step(progress);
  });
  return outcomes;
}

void ProjectRun::AgainAsUsed(std::span<const std::string> paths,
                             std::span<const engine::Rule* const> rules,
                             std::vector<Outcome>* outcomes) {
  for (const std::string& path : paths) {
    const std::size_t position = PositionOf(index_.Find(path));
    const File& file = files_[position];
    if (file.imported || file.start == kNoStart || (*outcomes)[file.start].parsed == nullptr)
      continue;  // that is known already
    Again(position, rules, &(*outcomes)[file.start]);
  }
}

std::unique_ptr<flow::Surroundings> ProjectRun::SurroundingsOf(std::string_view path) const {
  return std::make_unique<View>(*this, index_.Find(path));
}

flow::ProjectFacts ProjectRun::FactsOf(std::string_view path) const {
  const std::size_t position = PositionOf(index_.Find(path));
  flow::ProjectFacts facts = FactsAt(position);
  facts.outside_calls = calls_->OutsideCallsOf(position);
  return facts;
}

}  // namespace torchleak::driver
