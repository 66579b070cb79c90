// The suppression comments of one file, applied to its final findings.
//
//   auto silenced = ApplySuppressions(source, tree, {.rules = rules}, &found);
//
// Runs once for each file, when nothing is analysed again: whether a comment is unused cannot be
// said before. Findings about the comments themselves (TLK001, TLK002) are added to `found`.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/check.h"
#include "engine/rule.h"
#include "findings/finding.h"
#include "findings/suppressed.h"
#include "suppress/add_noqa.h"
#include "suppress/comment.h"
#include "syntax/tree.h"
#include "text/result.h"
#include "text/source.h"

namespace torchleak::driver {

struct SuppressionOptions {
  std::span<const engine::Rule* const> rules;  // those that were checked in this file
  bool ignore_noqa = false;                    // nothing is silenced, nothing is unused
  // False when something else could be found with more knowledge: the file was not fully analysed,
  // or stood alone. Then nothing is called unused.
  bool judge_unused = true;
};

// All rules, as src/suppress wants them.
std::span<const suppress::KnownRule> KnownRules();

// Those that speak of code, and those that speak of suppressions.
std::vector<const engine::Rule*> RulesOfCode(std::span<const engine::Rule* const> rules);
std::vector<const engine::Rule*> RulesOfSuppressions(std::span<const engine::Rule* const> rules);

// `found`: of this file, in findings::Before order, and again afterwards. Fingerprints of those
// that were there stay as they are; what is added has its own.
std::vector<findings::Suppressed> ApplySuppressions(const text::Source& source,
                                                    const syntax::Tree& tree,
                                                    const SuppressionOptions& options,
                                                    std::vector<findings::Finding>* found);

// `--add-noqa`: what to insert, by the path that findings carry.
std::map<std::string, suppress::AddedNoqa> NoqaFor(const FindingSet& set,
                                                   std::string_view reason = {});

// Makes the edits of one file, which are sorted, and says what went wrong.
using WriteEdits =
    std::function<text::Result<bool>(const text::Source&, std::span<const findings::Edit>)>;

// "Added {directives} noqa directives in {files} files"
struct NoqaTotals {
  std::size_t directives = 0, files = 0;
  std::size_t skipped = 0;           // findings that no comment on a line can silence
  std::vector<Notification> errors;  // files that were not written, by path
};

NoqaTotals WriteNoqa(const FindingSet& set, std::string_view reason, const WriteEdits& write);

}  // namespace torchleak::driver
