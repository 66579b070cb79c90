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
  View(const ProjectRun& run, std::size_t from, Pass pass = Pass::kOnly)
      : run_(run), position_(from), from_(run.files_[from].id), pass_(pass) {}

  Found Find(std::string_view qualified) const override {
    Found found;
    const std::lock_guard lock(run_.index_mutex_);
    project::ModuleIndex& index = *run_.map_.index;
    project::Located at = index.Locate(from_, qualified);
    if (!at) {
      const project::Resolved module = index.Resolve(from_, qualified);
      found.in_project = module.file != project::kNoFile || module.is_namespace;
      return found;
    }
    found.in_project = true;
    const auto needed = run_.map_.graph->DependenciesOf(from_);
    if (std::find(needed.begin(), needed.end(), at.file) == needed.end()) return found;
    found.file = InterfaceOf(run_.PositionOf(at.file));
    found.name = std::move(at.name);
    return found;
  }

 private:
  flow::InterfacePtr InterfaceOf(std::size_t position) const {
    const Told& told = run_.told_[position];
    const bool is_beside = run_.files_[position].circle == run_.files_[position_].circle;
    if (pass_ == Pass::kOnly || !is_beside) return told.interface;
    if (position > position_) return pass_ == Pass::kFirst ? nullptr : told.first;
    return pass_ == Pass::kFirst ? told.first : told.interface;
  }

  const ProjectRun& run_;
  std::size_t position_;
  FileId from_;
  Pass pass_;
};

ProjectRun::ProjectRun(FileTexts* texts, Where where, ProjectMap map, AnalysisMemo* memo)
    : texts_(texts), where_(std::move(where)), map_(std::move(map)), memo_(memo) {
  for (const project::Component& component : map_.graph->components()) {
    for (const FileId id : component.files) {
      positions_.emplace(id, files_.size());
      const std::string& path = map_.index->path(id);
      files_.push_back({id, path, DisplayPath(path, where_.display_root)});
      files_.back().circle = PositionOf(component.files.front());
      files_.back().in_circle = component.files.size() > 1;
    }
  }
  for (std::size_t i = 0; i < map_.starts.size(); ++i) files_[PositionOf(map_.starts[i])].start = i;
  for (File& file : files_) {
    for (const FileId id : map_.graph->DependenciesOf(file.id)) {
      file.imports = true;
      files_[PositionOf(id)].imported = true;
    }
  }
  told_.resize(files_.size());
}

// Users before what they use: an interface that is dropped last drops no chain of others with it.
ProjectRun::~ProjectRun() {
  while (!told_.empty()) told_.pop_back();
}

bool ProjectRun::IsImportedByNone(const File& file) const {
  return !file.imported &&
         std::any_of(where_.closed.begin(), where_.closed.end(),
                     [&](const auto& root) { return project::IsWithin(file.path, root); });
}

// Only findings depend on it, so of a file that others merely import it is not asked.
std::optional<engine::TorchVersion> ProjectRun::TargetOf(const File& file) const {
  if (where_.settings == nullptr || file.start == kNoStart) return std::nullopt;
  const auto settings = where_.settings->ForFile(file.path);
  return settings ? (*settings)->target_version : std::nullopt;
}

// Each run gets something done, however often it is interrupted.
bool ProjectRun::GivesWay() {
  if (!has_begun_.exchange(true)) return false;
  if (!gave_way_ && gives_way_ != nullptr && gives_way_()) gave_way_ = true;
  return gave_way_;
}

ProjectRun::LookOptions ProjectRun::InRun(std::size_t position, Pass pass) const {
  const File& file = files_[position];
  LookOptions options{file.start != kNoStart && pass != Pass::kFirst, pass, nullptr, true};
  if (memo_ == nullptr) return options;
  // Of a circle two interfaces are in use: they must be of one text.
  options.moved_too = !file.in_circle;
  if (!file.in_circle) options.former = memo_->LastInterface(file.path);
  return options;
}

FirstLook ProjectRun::LookAt(std::size_t position, const LookOptions& options, ParsedPtr* kept,
                             std::string* error) {
  const bool is_start = options.is_start;
  const File& file = files_[position];
  const View view(*this, position, options.pass);
  AnalysisMemo::Key key;
  if (memo_ != nullptr) {
    key = {texts_->ContentOf(file.path), is_start,      file.imports, file.imported || file.imports,
           IsImportedByNone(file),       TargetOf(file)};
    if (auto known = memo_->Find(file.path, key, options.moved_too, view)) return *std::move(known);
  }
  if (GivesWay()) return {};
  if (*kept == nullptr) {
    auto parsed = texts_->Open(file.path, file.display);
    if (!parsed) {
      *error = parsed.error().message;
      return {};
    }
    *kept = *std::move(parsed);
  }
  const text::Source& source = (*kept)->source;
  const syntax::Tree& tree = (*kept)->tree;
  const NotedQuestions noted(view);
  engine::Surrounding surrounding;
  const flow::Surroundings* others = &view;
  if (memo_ != nullptr) others = &noted;
  if (file.imports) surrounding.files = others;
  surrounding.wants_interface = file.imported || file.imports;
  surrounding.imported_by_none = IsImportedByNone(file);
  surrounding.target = TargetOf(file);
  const auto rules = is_start ? rules_ : std::span<const engine::Rule* const>{};
  engine::Analyzed result = engine::Analyze(source, tree, rules, surrounding);
  auto found = std::make_shared<Found>();
  found->findings = std::move(result.findings);
  found->complete = result.complete;
  if (is_start && (!found->findings.empty() || Suppressions::MayComplain(source, tree)))
    found->parsed = *kept;
  FirstLook look{std::move(found), std::move(result.interface), nullptr, std::move(result.calls),
                 result.forwards_do_more};
  if (memo_ == nullptr) return look;
  return memo_->Keep(file.path, key, noted.answers(), std::move(look), options.former);
}

void ProjectRun::Tell(std::size_t position, const FirstLook& look) {
  const File& file = files_[position];
  Told& told = told_[position];
  told.forwards_do_more = look.forwards_do_more;
  if (file.imports && look.interface != nullptr) told.uses = look.interface->uses;
  if (file.imported) told.interface = look.interface;
  told.moved = file.imported ? look.moved : nullptr;
  told.calls = look.calls;
}

void ProjectRun::Analyze(std::size_t position, ParsedPtr kept, std::vector<Outcome>* outcomes) {
  const File& file = files_[position];
  Outcome unwanted;
  Outcome& outcome = file.start == kNoStart ? unwanted : (*outcomes)[file.start];
  const Pass pass = file.in_circle ? Pass::kSecond : Pass::kOnly;
  FirstLook look = LookAt(position, InRun(position, pass), &kept, &outcome.error);
  Tell(position, look);
  outcome.found = std::move(look.found);
}

// Files that import each other are looked at twice: the first time some of them stand alone.
void ProjectRun::InCircle(const project::Component& component, std::vector<Outcome>* outcomes) {
  // Trees are kept for the second time, unless it would be too many of them.
  constexpr std::size_t kMaxKept = std::size_t{16} << 20;
  std::vector<ParsedPtr> kept(component.files.size());
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    std::string error;  // told the second time
    const std::size_t position = PositionOf(component.files[i]);
    Tell(position, LookAt(position, InRun(position, Pass::kFirst), &kept[i], &error));
    told_[position].first = told_[position].interface;
    if (kept[i] != nullptr) bytes += kept[i]->source.bytes().size();
    if (bytes > kMaxKept) kept[i].reset();
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    Analyze(PositionOf(component.files[i]), std::move(kept[i]), outcomes);
  }
}

void ProjectRun::First(const project::Component& component, std::vector<Outcome>* outcomes) {
  if (component.files.size() > 1) return InCircle(component, outcomes);
  Analyze(PositionOf(component.files.front()), nullptr, outcomes);
}

flow::ProjectFacts ProjectRun::FactsAt(std::size_t position) const {
  flow::ProjectFacts facts;
  facts.callers = calls_->Of(position);
  calls_->AddLooseOf(position, &facts.loose);
  for (const FileId id : map_.graph->Dependents(files_[position].id)) {
    facts.uses.Add(told_[PositionOf(id)].uses);
    calls_->AddLooseOf(PositionOf(id), &facts.loose);
  }
  facts.uses.Sort();
  facts.forwards_do_more = std::any_of(told_.begin(), told_.end(),
                                       [](const Told& told) { return told.forwards_do_more; });
  return facts;
}

FoundPtr ProjectRun::Again(std::size_t position, std::span<const engine::Rule* const> rules,
                           const FoundPtr& first) {
  const File& file = files_[position];
  flow::ProjectFacts facts = FactsAt(position);
  if (memo_ != nullptr) {
    if (FoundPtr known = memo_->FindAgain(file.path, first, facts)) return known;
  }
  if (GivesWay()) return first;
  const View view(*this, position);
  engine::Surrounding surrounding;
  surrounding.files = &view;
  surrounding.project = &facts;
  surrounding.target = TargetOf(file);
  const Parsed& parsed = *first->parsed;
  engine::Analyzed result = engine::Analyze(parsed.source, parsed.tree, rules, surrounding);
  auto found = std::make_shared<Found>();
  found->complete = result.complete;
  found->findings = std::move(result.findings);
  found->parsed = first->parsed;
  if (memo_ != nullptr) memo_->KeepAgain(file.path, first, std::move(facts), found);
  return found;
}

std::vector<ProjectRun::Outcome> ProjectRun::Run(const How& how) {
  rules_ = how.rules;
  gives_way_ = how.gives_way;
  std::vector<Outcome> outcomes(map_.starts.size());
  const auto components = map_.graph->components();
  Begin(how.progress, Progress::Phase::kAnalyzing, components.size());
  ParallelInOrder(
      components.size(), how.jobs,
      [&](std::size_t i) { return std::span(components[i].dependencies); },
      [&](std::size_t i) {
        First(components[i], &outcomes);
        Step(how.progress);
      });
  if (gave_way_) return {};
  Begin(how.progress, Progress::Phase::kJoining, 0);
  std::vector<std::string> paths;
  for (const File& file : files_) paths.push_back(file.display);
  calls_ = std::make_unique<flow::JoinedCalls>(std::move(paths));
  for (std::size_t i = 0; i < files_.size(); ++i) calls_->Add(i, told_[i].calls);
  if (memo_ == nullptr) {
    for (Told& told : told_) told.calls.reset();  // half of what a large project takes
  }
  calls_->Run();
  std::vector<std::size_t> again;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const FoundPtr* found =
        files_[i].start == kNoStart ? nullptr : &outcomes[files_[i].start].found;
    if (files_[i].imported && found != nullptr && *found != nullptr && !(*found)->findings.empty())
      again.push_back(i);
  }
  Begin(how.progress, Progress::Phase::kJoining, again.size());
  ParallelFor(again.size(), how.jobs, [&](std::size_t i) {
    FoundPtr& found = outcomes[files_[again[i]].start].found;
    found = Again(again[i], how.rules, found);
    Step(how.progress);
  });
  return outcomes;
}

void ProjectRun::AgainAsUsed(std::string_view path, std::span<const engine::Rule* const> rules,
                             Outcome* outcome) {
  const std::size_t position = PositionOf(map_.index->Find(path));
  FoundPtr& found = outcome->found;
  // Of one that is imported it is known already.
  if (files_[position].imported || found == nullptr || found->parsed == nullptr) return;
  found = Again(position, rules, found);
}

bool ProjectRun::Has(std::string_view path) const {
  return positions_.contains(map_.index->Find(path));
}

bool ProjectRun::IsImported(std::string_view path) const {
  return files_[PositionOf(map_.index->Find(path))].imported;
}

std::unique_ptr<flow::Surroundings> ProjectRun::SurroundingsOf(std::string_view path) const {
  return std::make_unique<View>(*this, PositionOf(map_.index->Find(path)));
}

flow::ProjectFacts ProjectRun::FactsOf(std::string_view path) const {
  const std::size_t position = PositionOf(map_.index->Find(path));
  flow::ProjectFacts facts = FactsAt(position);
  facts.outside_calls = calls_->OutsideCallsOf(position);
  return facts;
}

}  // namespace torchleak::driver
