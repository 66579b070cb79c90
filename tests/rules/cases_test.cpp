// fixtures/cases: what of them is not right yet must be exactly what KNOWN_GAPS.txt lists.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis.h"
#include "case_score.h"

namespace torchleak::tests {
namespace {

constexpr const char* kGapsFile = "fixtures/cases/KNOWN_GAPS.txt";

// Lines without comments; empty ones left out.
std::set<std::string> KnownGaps(std::string_view text) {
  std::set<std::string> gaps;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    line = line.substr(0, line.find('#'));
    const std::size_t last = line.find_last_not_of(' ');
    if (last != std::string_view::npos) gaps.emplace(line.substr(0, last + 1));
  }
  return gaps;
}

TEST_CASE("the cases: recall, traps, and exactly the known gaps") {
  const std::string text = ReadFile(kGapsFile);
  std::set<std::string> known = KnownGaps(text);
  std::string news;
  std::map<std::string, std::vector<findings::Finding>> found;
  for (findings::Finding& finding : ProjectFindings("fixtures/cases"))
    found[finding.location.path].push_back(std::move(finding));
  for (const std::string& path : FilesBelow("fixtures/cases", ".py")) {
    const text::Source source = SourceOf(path, ReadFile(path));
    for (const std::string& gap : CaseGaps(source, found[path])) {
      if (known.erase(gap) == 1) continue;
      news += gap + "\n";
      FAIL_CHECK("new gap: " << gap);
    }
  }
  for (const std::string& gap : known)
    FAIL_CHECK("a known gap is closed, take it out of " << std::string(kGapsFile) << ": " << gap);
  // For a change that is meant: gone ones are dropped, new ones are added at the end, for a reason
  // to be written behind them.
  if (std::getenv("TORCHLEAK_UPDATE_GAPS") == nullptr) return;
  std::string kept;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n') + 1);
    rest.remove_prefix(line.empty() ? rest.size() : line.size());
    const std::set<std::string> gap = KnownGaps(line);
    if (gap.empty() || !known.contains(*gap.begin())) kept += line;
  }
  WriteFile(kGapsFile, kept + news);
}

constexpr std::string_view kCase = R"py("""
pattern: accumulated-tensor
"""
import torch.nn.functional as F


def bad_list(model, loader, optimizer):
    losses = []
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss)  # MARK


def good_list(model, loader, optimizer):
    losses = []
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
)py";

std::vector<std::string> GapsOf(std::string_view mark, std::string_view kept_in_good) {
  std::string code(kCase);
  code.replace(code.find("MARK"), 4, mark);
  code.replace(code.find("loss.item()"), 11, kept_in_good);
  const text::Source source = SourceOf("folder/case.py", code);
  return CaseGaps(source, Findings(source));
}

TEST_CASE("a case is judged by its marks") {
  using Gaps = std::vector<std::string>;
  CHECK(GapsOf("expect: accumulated-tensor", "loss.item()") == Gaps{});
  CHECK(GapsOf("expect: hook-not-removed|accumulated-tensor", "loss.item()") == Gaps{});
  CHECK(GapsOf("expect: no-rule-of-ours", "loss.item()") == Gaps{});
  CHECK(GapsOf("expect: hook-not-removed", "loss.item()") ==
        Gaps{"miss case.py:14 hook-not-removed"});
  CHECK(GapsOf("ok: accumulated-tensor - a trap", "loss.item()") ==
        Gaps{"false case.py:14 accumulated-tensor"});
  CHECK(GapsOf("ok: hook-not-removed - a trap", "loss.item()") == Gaps{});
  CHECK(GapsOf("expect: accumulated-tensor", "loss") ==
        Gaps{"false case.py:24 accumulated-tensor"});
}

TEST_CASE("the list of known gaps takes comments and reasons") {
  CHECK(KnownGaps("# head\n\nmiss a.py:1 x  # why\nfalse b.py:2 y\n") ==
        std::set<std::string>{"miss a.py:1 x", "false b.py:2 y"});
}

}  // namespace
}  // namespace torchleak::tests
