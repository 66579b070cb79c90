// LiveProject: a project that is checked again and again while an editor changes its files.
//
//   LiveProject project({.root = "/repo", .settings = index});
//   project.Put("/repo/train.py", text::Source::FromText("train.py", text));
//   while (!project.Update(gives_way)) …                  // it gave way: something was more urgent
//   for (const std::string& path : project.TakeChanged()) // whose findings are others now
//     Show(*project.At(path));
//
// What it finds is what Check() finds in the same files; only the work is less. Each file's
// analysis is kept with all that it depended on (analysis_memo.h). An edit that leaves the file's
// interface, calls and imports as they were costs one analysis; any other one runs the project
// again, where all but what the edit reaches is taken from the memo.
//
// Not safe for several threads; while it works it uses some of its own.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "driver/file_check.h"
#include "driver/live_texts.h"
#include "driver/project_analysis.h"
#include "driver/survey.h"
#include "syntax/reparser.h"

namespace torchleak::driver {

class LiveProject {
 public:
  struct Options {
    std::string root;  // absolute
    std::shared_ptr<const config::SettingsIndex> settings;
    unsigned jobs = 0;
    // False: only what is open is looked at, and of what it imports the nearest files. For a first
    // answer, and for folders that are too large, or no project.
    bool whole = true;
    std::size_t most_imported = project::ImportGraph::kNoLimit;
  };
  explicit LiveProject(Options options);
  ~LiveProject();

  // What an editor holds, from now on instead of what is on disk. Paths are absolute and normal.
  void Put(const std::string& path, text::Result<text::Source> source);
  void Drop(const std::string& path);  // the disk counts again
  // The files of the workspace, at first and whenever files came, went or changed.
  void Take(Survey survey);

  // Brings all findings up to date. False: it gave way, and goes on when it is called again.
  // When the edit of one file reaches others, it gives way once by itself, with that file done.
  bool Update(const std::function<bool()>& gives_way = nullptr);
  bool IsUpToDate() const { return is_up_to_date_; }
  // Are the findings of this file those of its text?
  bool IsCurrent(std::string_view path) const { return is_up_to_date_ || ahead_ == path; }
  // Paths of files whose results have changed since the last call, sorted.
  std::vector<std::string> TakeChanged();

  struct File {
    Item item;
    bool on_disk = false;  // and part of the survey
    bool open = false;
    bool excluded = false;  // by the configuration: others may import it, nothing is found in it
    FileResult scan;        // by itself
    FileResult result;      // in the project
    FoundPtr found;         // what `result` is made of, where the project had to be asked
  };
  const File* At(std::string_view path) const;
  const std::map<std::string, File, std::less<>>& files() const { return files_; }
  // As the editor holds it, or the disk. Null when that cannot be read.
  const text::Source* SourceOf(std::string_view path);
  ParsedPtr OpenFile(std::string_view path) const;  // null when it is not open, or is no text

  // What the project knows around an open file, for engine::Explain; null before the first Update
  // is complete, and for files that no rule looks at.
  struct Around {
    std::unique_ptr<flow::Surroundings> files;
    flow::ProjectFacts facts;
  };
  std::optional<Around> AroundOf(const std::string& path) const;

  const CheckOptions& options() const { return options_; }
  // All that is found, as one set.
  FindingSet All() const;
  // The same with other texts for some of the files, which it then forgets.
  FindingSet AllWith(const std::vector<Buffer>& texts);

 private:
  void SetSettings(std::shared_ptr<const config::SettingsIndex> settings);
  void Configure(File* file);
  bool IsSeen(const File& file) const;
  void Scan(File* file);
  bool Rescan(File* file);
  void Finish(File* file, const ProjectRun::Outcome& outcome);
  void FinishUnseen(File* file);
  void MoveSteps(File* file) const;
  void TakeMoved();
  void Note(const File& file) { changed_.insert(file.item.absolute); }
  void ResetImports();
  bool ReviseOne(File* file, bool same);
  bool IsAhead(const ProjectRun::Outcome& outcome, const File& file) const;
  bool RunAll(const std::function<bool()>& gives_way);
  ProjectFiles Files() const;

  CheckOptions options_;
  bool whole_;
  std::size_t most_imported_;
  std::map<std::string, File, std::less<>> files_;
  std::map<std::string, text::Result<text::Source>, std::less<>> arrived_;  // put, not yet parsed
  std::map<std::string, syntax::Reparser, std::less<>> parsers_;            // of open files
  std::set<std::string> dirty_, changed_;
  std::unique_ptr<LiveTexts> texts_;
  std::unique_ptr<ImportMaps> maps_;  // null: files came or went
  std::vector<std::string> roots_;    // of maps_
  AnalysisMemo memo_;
  std::unique_ptr<ProjectAnalysis> analysis_;  // null: everything has to be run again
  ProjectRun::Moved moved_;
  std::unordered_map<std::string, std::optional<text::Source>> read_;  // for SourceOf
  bool is_up_to_date_ = true;
  std::string ahead_;  // the file that was done before the others
};

}  // namespace torchleak::driver
