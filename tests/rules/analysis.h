// Files of the checkout (or of the folder TORCHLEAK_CHECKOUT, for tests/rules/guide), and what the
// engine says about them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/rule.h"
#include "findings/finding.h"
#include "text/source.h"

namespace torchleak::tests {

std::string Checkout();
std::string ReadFile(const std::string& path_in_checkout);
void WriteFile(const std::string& path_in_checkout, std::string_view bytes);
// Paths in the checkout of all files below `folder` whose name ends in `suffix`, sorted.
std::vector<std::string> FilesBelow(const std::string& folder, std::string_view suffix);
// The fixtures in the folders of the rules.
std::vector<std::string> RuleFixtures();
// All Python files that are fixtures: below fixtures/, and in the folders of the rules.
std::vector<std::string> FixtureFiles();

text::Source SourceOf(std::string path, std::string text);

// The rules that are on by default, and of the others the one in whose folder the file lies.
std::vector<const engine::Rule*> RulesFor(std::string_view path);

// What `torchleak check` shows of the file with these rules: medium confidence and above, with
// fingerprints.
std::vector<findings::Finding> Findings(const text::Source& source);

// What `torchleak check FOLDER` shows, the folder's files being taken as one project.
struct ProjectOptions {
  std::vector<const engine::Rule*> rules = {};  // empty: those on by default
  bool one_by_one = false;                      // the files are given by name, in reverse order
  unsigned jobs = 1;
};
std::vector<findings::Finding> ProjectFindings(const std::string& folder,
                                               const ProjectOptions& options = {});

// Findings that the byte scan would lose: their rule, selected alone, would not look at the file.
std::vector<std::string> LostByByteScan(const text::Source& source);

}  // namespace torchleak::tests
