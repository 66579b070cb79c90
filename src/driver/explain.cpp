#include "driver/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "config/index.h"
#include "driver/project_run.h"
#include "driver/roots.h"
#include "driver/suppression_pass.h"
#include "driver/users.h"
#include "engine/analyze.h"
#include "project/paths.h"
#include "suppress/suppressions.h"
#include "syntax/tree.h"

namespace torchleak::driver {
namespace {

// What comments keep from being reported at the row; empty when nothing.
std::string SuppressedAt(const text::Source& source, std::uint32_t row) {
  const syntax::Tree tree = syntax::Parse(source);
  const auto suppressions = suppress::Suppressions::Parse(source, tree, KnownRules());
  std::string text;
  for (const suppress::Directive* directive : suppressions.Over(row)) {
    text += fmt::format("{}  `{}` (line {})\n", text.empty() ? "\nSuppressed here\n" : "",
                        source.Text(directive->span), source.RowOf(directive->span.begin));
  }
  return text;
}

// The settings as a check without options has them; none, when those cannot be read.
std::optional<engine::TorchVersion> TargetOf(const std::string& path, const std::string& root) {
  const auto index = config::SettingsIndex::Create(
      {.root = root, .user_folder = config::UserConfigFolder(), .overrides = {}});
  if (!index) return std::nullopt;
  const auto settings = (*index)->ForFile(path);
  return settings ? (*settings)->target_version : std::nullopt;
}

}  // namespace

std::string Explain(const text::Source& source, const std::string& path, std::uint32_t row,
                    const std::string& root, unsigned jobs) {
  project::DiskTree disk;
  project::LockedTree tree(&disk);
  TreeTexts texts(&tree);
  const std::vector<std::string> roots = ImportRoots(std::vector{path}, {}, root);
  // A working directory that is no project may be a home: then only the file's own folder counts.
  const std::string& top = roots.front();
  const std::string folder(project::FolderOf(path));
  const std::string& around = IsProjectTop(top) ? top : folder;
  ImportMaps maps(std::make_shared<project::ModuleIndex>(&tree, roots));
  std::vector<std::string> files = maps.UsersOf(std::vector{path}, FilesBelow(around)).files;
  files.insert(files.begin(), path);
  ProjectRun run(&texts, {{}, root, nullptr}, maps.Of(files));
  run.Run({}, jobs);
  const auto others = run.SurroundingsOf(path);
  const flow::ProjectFacts facts = run.FactsOf(path);
  engine::Surrounding surrounding;
  surrounding.files = others.get();
  surrounding.target = TargetOf(path, root);
  if (!facts.callers.empty()) surrounding.project = &facts;
  return engine::Explain(source, row, engine::AllRules(), surrounding) + SuppressedAt(source, row);
}

}  // namespace torchleak::driver
