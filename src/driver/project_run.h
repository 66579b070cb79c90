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
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "driver/progress.h"
#include "engine/analyze.h"
#include "flow/joined_calls.h"
#include "project/file_tree.h"
#include "project/import_graph.h"
#include "syntax/tree.h"
#include "text/source.h"

namespace torchleak::driver {

class ProjectRun {
 public:
  struct Where {
    std::vector<std::string> roots;   // of imports
    std::vector<std::string> closed;  // those of them below which nobody uses a file unseen
    std::string display_root;
  };
  // `starts`: absolute paths of the files whose findings are wanted.
  ProjectRun(project::FileTree* tree, Where where, std::span<const std::string> starts);
  ~ProjectRun();

  // A file's text and tree; the tree refers to the text.
  struct Parsed {
    explicit Parsed(text::Source s) : source(std::move(s)), tree(syntax::Parse(source)) {}
    text::Source source;
    syntax::Tree tree;
  };

  struct Outcome {
    std::vector<findings::Finding> findings;
    std::unique_ptr<Parsed> parsed;  // when there are findings, or suppressions to judge
    std::string error;               // why it could not be analysed
    bool analyzed = false;
    bool complete = false;  // see engine::Analyzed
  };
  // Steps 2 to 4. Findings of the starts, in their order, without fingerprints.
  std::vector<Outcome> Run(std::span<const engine::Rule* const> rules, unsigned jobs,
                           Progress* progress = nullptr);

  // After Run: those starts once more, now with the knowledge that somebody uses them.
  void AgainAsUsed(std::span<const std::string> paths, std::span<const engine::Rule* const> rules,
                   std::vector<Outcome>* outcomes);

  // Files that were looked at only because others import them.
  std::size_t imported_only() const { return files_.size() - starts_.size(); }

  // After Run: what the project knows of one file, for engine::Explain.
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
  };
  static constexpr std::size_t kNoStart = static_cast<std::size_t>(-1);

  bool IsImportedByNone(const File& file) const;
  std::size_t PositionOf(FileId id) const { return positions_.at(id); }
  void First(const project::Component& component, std::span<const engine::Rule* const> rules,
             std::vector<Outcome>* outcomes);
  void Analyze(std::size_t position, std::unique_ptr<Parsed> parsed,
               std::span<const engine::Rule* const> rules, std::vector<Outcome>* outcomes);
  void InCircle(const project::Component& component, std::span<const engine::Rule* const> rules,
                std::vector<Outcome>* outcomes);
  void Again(std::size_t position, std::span<const engine::Rule* const> rules, Outcome* outcome);
  flow::ProjectFacts FactsAt(std::size_t position) const;
  std::unique_ptr<Parsed> Open(std::size_t position, std::vector<Outcome>* outcomes) const;
  engine::Analyzed AnalyzeOne(std::size_t position, const Parsed& parsed,
                              std::span<const engine::Rule* const> rules);

  project::FileTree* tree_;
  std::vector<std::string> closed_;
  std::string root_;
  mutable std::mutex index_mutex_;
  mutable project::ModuleIndex index_;
  std::vector<FileId> starts_;
  std::unique_ptr<project::ImportGraph> graph_;
  std::vector<File> files_;  // of the graph, in its order of analysis
  std::unordered_map<FileId, std::size_t> positions_;
  std::vector<flow::InterfacePtr> interfaces_;  // by position, of files that others import
  // What these were at first, in circles: paths of steps may still lead there (flow::Site).
  std::vector<flow::InterfacePtr> provisional_;
  std::vector<flow::AttributeUses> uses_;  // by position, of files that import others
  std::unique_ptr<flow::JoinedCalls> calls_;
  std::atomic<bool> forwards_do_more_{false};  // some file's do; see flow/known_code.h
};

}  // namespace torchleak::driver
