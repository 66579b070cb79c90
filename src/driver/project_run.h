// ProjectRun: the files of a run, each understood with what the others say.
//
//   1. import graph of the files in which a rule can fire (read and scanned, not parsed)
//   2. each file once, what it imports before it: findings, interface, calls
//   3. what callers know, joined over all files
//   4. once more the files that have findings and are used elsewhere, now with their callers
//
// Step 4 touches few files (those with findings), so the whole costs little more than looking at
// each file alone. Files that only others import are analysed for their interface.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "config/index.h"
#include "driver/analysis_memo.h"
#include "driver/file_texts.h"
#include "driver/import_maps.h"
#include "driver/progress.h"
#include "engine/analyze.h"
#include "flow/joined_calls.h"

namespace torchleak::driver {

class ProjectRun {
 public:
  struct Where {
    std::vector<std::string> closed;  // roots of imports below which nobody uses a file unseen
    std::string display_root;
    // What holds for each file, as far as it changes what is found in it; null: nothing is said.
    std::shared_ptr<const config::SettingsIndex> settings = nullptr;
  };
  // Without a memo every file is analysed. `texts` and `memo` outlive the run.
  ProjectRun(FileTexts* texts, Where where, ProjectMap map, AnalysisMemo* memo = nullptr);
  ~ProjectRun();

  struct Outcome {
    FoundPtr found;     // null: it could not be analysed
    std::string error;  // and why
  };
  struct How {
    std::span<const engine::Rule* const> rules;
    unsigned jobs = 0;
    Progress* progress = nullptr;
    // Asked before each analysis but the first: true when something else is more urgent.
    std::function<bool()> gives_way = nullptr;
  };
  // Steps 2 to 4. Findings of the starts, in their order, without fingerprints. When it gave way
  // nothing: what was done so far is in the memo.
  std::vector<Outcome> Run(const How& how);
  std::vector<Outcome> Run(std::span<const engine::Rule* const> rules, unsigned jobs) {
    return Run({.rules = rules, .jobs = jobs});
  }
  bool gave_way() const { return gave_way_; }

  // After Run: what was found in a start, now with the knowledge that somebody uses it.
  void AgainAsUsed(std::string_view path, std::span<const engine::Rule* const> rules,
                   Outcome* outcome);

  // After Run with a memo: the text of this start is another, what it imports and defines is not.
  // False when that makes a difference to other files; then nothing has changed here, and the memo
  // knows what has been found so far.
  bool Revise(std::string_view path, std::span<const engine::Rule* const> rules, Outcome* outcome);

  // Files that were looked at only because others import them.
  std::size_t imported_only() const { return files_.size() - map_.starts.size(); }

  // After Run: of files whose places, as the findings of others name them, have moved since.
  using Moved = std::map<std::string, std::shared_ptr<const flow::MovedPlaces>, std::less<>>;
  Moved MovedFiles() const;  // by path as findings spell it

  bool Has(std::string_view path) const;
  bool IsImported(std::string_view path) const;  // of one that it has
  // After Run: what the project knows of one file that it has, for engine::Explain.
  std::unique_ptr<flow::Surroundings> SurroundingsOf(std::string_view path) const;
  flow::ProjectFacts FactsOf(std::string_view path) const;

 private:
  using FileId = project::FileId;
  class View;

  struct File {
    FileId id;
    std::string path, display;
    std::size_t start = kNoStart;  // index of its outcome
    bool imported = false, imports = false;
    std::size_t circle = 0;  // equal for files of one circle
    bool in_circle = false;
  };
  static constexpr std::size_t kNoStart = static_cast<std::size_t>(-1);
  // What is kept of a file for the others, by position.
  struct Told {
    flow::InterfacePtr interface;  // of files that others import
    flow::InterfacePtr first;      // in a circle: what it was when not all others were known
    std::shared_ptr<const flow::MovedPlaces> moved;
    flow::FileCallsPtr calls;
    flow::AttributeUses uses;  // of files that import others
    bool forwards_do_more = false;
  };

  bool IsImportedByNone(const File& file) const;
  std::optional<engine::TorchVersion> TargetOf(const File& file) const;
  std::size_t PositionOf(FileId id) const { return positions_.at(id); }
  bool GivesWay();
  void First(const project::Component& component, std::vector<Outcome>* outcomes);
  void Analyze(std::size_t position, ParsedPtr kept, std::vector<Outcome>* outcomes);
  void InCircle(const project::Component& component, std::vector<Outcome>* outcomes);
  // Files of a circle are looked at twice, and the first time some of the others are not known.
  enum class Pass { kOnly, kFirst, kSecond };
  struct LookOptions {
    bool is_start = false;
    Pass pass = Pass::kOnly;
    flow::InterfacePtr former = nullptr;  // see AnalysisMemo::Keep
    bool moved_too = true;                // see AnalysisMemo::Find
  };
  // `kept`: the file when it has been opened already; set when it is now.
  FirstLook LookAt(std::size_t position, const LookOptions& options, ParsedPtr* kept,
                   std::string* error);
  LookOptions InRun(std::size_t position, Pass pass) const;
  void Tell(std::size_t position, const FirstLook& look);
  bool IsAsTold(std::size_t position, const FirstLook& look) const;
  FoundPtr Again(std::size_t position, std::span<const engine::Rule* const> rules,
                 const FoundPtr& first);
  flow::ProjectFacts FactsAt(std::size_t position) const;

  FileTexts* texts_;
  Where where_;
  ProjectMap map_;
  AnalysisMemo* memo_;
  std::span<const engine::Rule* const> rules_;  // of the current call of Run or Revise
  std::function<bool()> gives_way_;
  std::atomic<bool> gave_way_{false}, has_begun_{false};
  mutable std::mutex index_mutex_;
  std::vector<File> files_;  // of the graph, in its order of analysis
  std::unordered_map<FileId, std::size_t> positions_;
  std::vector<Told> told_;
  std::unique_ptr<flow::JoinedCalls> calls_;
};

}  // namespace torchleak::driver
