// Suppressions put into mutated code at random. Whatever they look like: removing the unused ones
// changes nothing that is reported, and once --add-noqa has been at work nothing is.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "corpus.h"
#include "driver/suppression_pass.h"
#include "engine/analyze.h"
#include "engine/rule.h"
#include "mutate.h"
#include "suppress/add_noqa.h"
#include "syntax/tree.h"
#include "tests/rules/analysis.h"

namespace torchleak::tests {
namespace {

using findings::Finding;

constexpr std::array<std::string_view, 23> kComments = {
    "  # noqa",
    "  # noqa: TLK101",
    "  # noqa: E501, TLK101 why",
    "  # noqa: TLK2,TLK102 # a reader",
    "# type: ignore # noqa:TLK1",
    "  # noqa: TLK999",
    "  # torchleak: ignore[TLK101, eval-with-grad] why",
    "  # torchleak: ignore[ALL",
    "  # torchleak: ignore",
    "  # torchleak: disable[TLK101]",
    "\n# torchleak: disable[TLK101, TLK203]",
    "\n    # torchleak: disable[TLK1]",
    "\n# torchleak: enable[TLK101]",
    "\n# torchleak: enable",
    "\n\t# torchleak: disable",
    "\n# torchleak: ignore-file[TLK102] why",
    "\n# torchleak: ignore-file[TLK201, TLK201]",
    "\n        # torchleak: ignore[missing-zero-grad]",
    "\n# noqa: TLK101",
    " # torchleak: ignor",
    "\r\n# torchleak: disable[TLK203]",
    "\\",
    "#",
};

std::string WithComments(const std::string& code, Random& random) {
  std::string out;
  for (const char c : code) {
    if (c == '\n' && random.Below(6) == 0) out += kComments[random.Below(kComments.size())];
    out += c;
  }
  return out;
}

struct Checked {
  explicit Checked(std::string code)
      : source(SourceOf("mutated.py", std::move(code))), tree(syntax::Parse(source)) {
    const auto rules = engine::AllRules();
    found = engine::Analyze(source, tree, rules).findings;
    const bool complete = tree.errors().empty();
    driver::ApplySuppressions(source, tree, {.rules = rules, .judge_unused = complete}, &found);
    for (const Finding& f : found) {
      CHECK(f.location.span.begin <= f.location.span.end);
      CHECK(f.location.span.end <= source.bytes().size());
    }
  }
  std::vector<std::string_view> OfCode() const {
    std::vector<std::string_view> codes;
    for (const Finding& f : found) {
      if (f.code != "TLK001" && f.code != "TLK002") codes.push_back(f.code);
    }
    std::sort(codes.begin(), codes.end());
    return codes;
  }

  text::Source source;
  syntax::Tree tree;
  std::vector<Finding> found;
};

std::string With(const text::Source& source, std::vector<findings::Edit> edits) {
  std::sort(edits.begin(), edits.end(), [](const auto& a, const auto& b) {
    return a.location.span.begin < b.location.span.begin;
  });
  std::string text;
  std::uint32_t done = 0;
  for (const findings::Edit& edit : edits) {
    REQUIRE(edit.location.span.begin >= done);
    REQUIRE(edit.location.span.end <= source.bytes().size());
    text += source.Text({done, edit.location.span.begin});
    text += edit.content;
    done = edit.location.span.end;
  }
  return text + std::string(source.bytes().substr(done));
}

// The code without its unused suppressions.
std::string Tidied(std::string code) {
  for (int round = 0; round < 200; ++round) {
    const Checked now(code);
    const auto unused = std::find_if(now.found.begin(), now.found.end(),
                                     [](const Finding& f) { return f.code == "TLK001"; });
    if (unused == now.found.end()) return code;
    REQUIRE(unused->fix.has_value());
    std::string after = With(now.source, unused->fix->edits);
    REQUIRE(after.size() < now.source.bytes().size());
    INFO("round ", round, ":\n", after);
    // What the parser makes of broken code may hang on a comment.
    const Checked then(after);
    if (then.tree.errors().empty()) CHECK(then.OfCode() == now.OfCode());
    code = std::move(after);
  }
  FAIL("unused suppressions without end");
  return code;
}

void CheckCode(const std::string& code) {
  const std::string tidied = Tidied(code);
  const Checked left(tidied);
  const suppress::AddedNoqa added =
      suppress::AddNoqa(left.source, left.tree, left.found, driver::KnownRules());
  const std::string after = With(left.source, added.edits);
  const Checked silenced(after);
  INFO("with noqa:\n", after);
  // In broken code a new comment may move what the parser makes of the rest.
  // Behind a backslash there may be no place for a comment: that is said, and counted.
  const std::size_t of_comments = left.found.size() - left.OfCode().size();
  const bool all_placed = added.skipped <= of_comments;
  if (left.tree.errors().empty() && all_placed) CHECK(silenced.OfCode().empty());
  if (left.tree.errors().empty()) CHECK(silenced.tree.errors().empty());
}

TEST_CASE("suppressions at random places") {
  const std::vector<CorpusFile> files = Corpus();
  REQUIRE(files.size() > 1);
  for (std::size_t i = 0; i < files.size(); i += 3) {
    const std::string& code = files[i].code;
    if (code.size() > 8000) continue;
    for (std::size_t round = 0; round < 2; ++round) {
      Random random(i * 7919 + round);
      // Once as it is, once broken.
      std::string changed =
          WithComments(round % 2 == 0 ? code : Mutate(code, code, random), random);
      if (!text::Source::FromBytes("mutated.py", changed)) continue;
      INFO(files[i].path, " round ", round, ":\n", changed);
      CheckCode(changed);
    }
  }
}

}  // namespace
}  // namespace torchleak::tests
