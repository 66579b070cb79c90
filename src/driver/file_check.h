// FileCheck: one file of a check, by itself: read, scanned, and, when it stands alone, analysed.
//
//   FileResult result = FileCheck(options, item).FromDisk(item.absolute);
//   if (result.parsed && !options.single_file)                     // a rule can fire in it
//     FileCheck(options, item).Complete(outcome_of_the_project, &result);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/hash.h"
#include "driver/check.h"
#include "driver/project_run.h"
#include "findings/finding.h"
#include "findings/suppressed.h"
#include "syntax/tree.h"
#include "text/result.h"
#include "text/source.h"

namespace torchleak::driver {

struct FileResult {
  std::vector<findings::Finding> findings;
  std::vector<findings::Suppressed> suppressed;
  std::optional<text::Source> source;  // only when there are findings, suppressed or not
  std::optional<Notification> notification;
  std::uint64_t bytes = 0;
  bool checked = false, parsed = false;
  cache::Hash128 content;  // of the bytes on disk, or of why they cannot be read
};

// It adds nothing to the check but its size.
bool IsQuiet(const FileResult& result);

struct Item {
  std::string absolute, display;
  const Buffer* buffer;  // or null: on disk
  std::uint64_t size;
  config::SettingsPtr settings;  // null: those of the options
};

// The options and the item must outlive it.
class FileCheck {
 public:
  FileCheck(const CheckOptions& options, const Item& item)
      : options_(options), item_(item), path_(item.display) {}

  FileResult FromDisk(const std::string& absolute);
  FileResult FromBytes(std::string_view bytes);
  // Of a text that is decoded already, or of why it cannot be; `bytes` is its size.
  FileResult FromSource(text::Result<text::Source> source, std::size_t bytes);
  // What the project's analysis says of the file, after FromDisk or FromBytes.
  void Complete(const ProjectRun::Outcome& outcome, FileResult* result) const;

 private:
  bool MayMatter(std::string_view bytes) const;
  FileResult Alone(text::Result<text::Source> source, FileResult result);
  FileResult CommentsOf(std::string_view bytes, FileResult result) const;
  FileResult CommentsOf(text::Source source, FileResult result) const;
  void Take(std::vector<findings::Finding> found, const text::Source& source,
            const syntax::Tree& tree, bool complete, FileResult* result) const;
  bool IsReported(const findings::Finding& finding) const;
  std::vector<const engine::Rule*> RulesHere() const;
  FileResult Failed(std::string message, Notification::Level level) const;

  const CheckOptions& options_;
  const Item& item_;
  const std::string& path_;
};

// Each of the files by itself; or, for a project, read and scanned only.
std::vector<FileResult> CheckEach(const CheckOptions& options, const std::vector<Item>& items);

}  // namespace torchleak::driver
