#include "limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "engine/rule.h"
#include "files.h"

namespace torchleak::tests {

namespace {

constexpr std::string_view kHead = R"md(# Known limits

<!-- Generated: TORCHLEAK_UPDATE_DOCS=1 build/release/bin/docs. Do not edit. -->

What torchleak gets wrong and we know of. Each line stands as a mark in a fixture; a mark that no
longer holds fails a test, so a limit leaves this page when it is overcome. The pages of the rules
have a *Limits* part for what no fixture shows.

*Missed*: a leak that is not reported. *False alarm*: a finding that should not be there.
)md";

std::string Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

bool IsComment(std::string_view line) { return Trimmed(line).starts_with("#"); }

// A quotation in a table: no bars, no line of 200 characters.
std::string Cell(std::string text) {
  constexpr std::size_t kMax = 72;
  std::replace(text.begin(), text.end(), '|', '/');
  if (text.size() > kMax) text = text.substr(0, kMax) + "…";
  return text;
}

std::string CodeOf(std::string_view rule) {
  const engine::Rule* found = engine::FindRule(rule);
  return found == nullptr ? std::string(rule) : std::string(found->info().code);
}

// miss FILE:ROW PATTERN  # reason
void AddGap(const std::string& line, std::vector<Limit>* limits) {
  const std::string text = Trimmed(std::string_view(line).substr(0, line.find('#')));
  const std::size_t file = text.find(' '), row = text.find(':'), rule = text.rfind(' ');
  if (file == std::string::npos || row == std::string::npos) return;
  Limit limit;
  limit.missed = text.starts_with("miss");
  const std::string pattern = text.substr(rule + 1);
  limit.rule = CodeOf(std::string_view(pattern).substr(0, pattern.find('|')));
  limit.file = "fixtures/cases/" + text.substr(file + 1, row - file - 1);
  const std::size_t hash = line.find('#');
  if (hash != std::string::npos) limit.reason = Trimmed(std::string_view(line).substr(hash + 1));
  const std::vector<std::string> code = Lines(ReadFile(limit.file));
  const auto at = static_cast<std::size_t>(std::atoi(text.c_str() + row + 1));
  if (at >= 1 && at <= code.size())
    limit.code = Trimmed(std::string_view(code[at - 1]).substr(0, code[at - 1].find("  #")));
  limits->push_back(std::move(limit));
}

}  // namespace

std::vector<Limit> MarkedLimits(const std::string& file, const std::vector<std::string>& lines) {
  std::vector<Limit> limits;
  std::string code;
  for (const std::string& line : lines) {
    if (!IsComment(line) && !Trimmed(line).empty())
      code = Trimmed(std::string_view(line).substr(0, line.find("  #")));
    for (const bool missed : {true, false}) {
      const std::string_view mark = missed ? "# expect-fn: " : "# expect-fp: ";
      const std::size_t at = line.find(mark);
      if (at == std::string::npos) continue;
      const std::string text = line.substr(at + mark.size());
      const std::size_t blank = std::min(text.find(' '), text.size());
      limits.push_back({missed, text.substr(0, blank),
                        Trimmed(std::string_view(text).substr(blank)), code, file});
    }
  }
  return limits;
}

std::vector<Limit> AllLimits() {
  std::vector<std::string> files = FilesBelow("fixtures", ".py");
  for (std::string& file : FilesBelow("fixtures", ".expected")) files.push_back(std::move(file));
  std::vector<Limit> limits;
  for (const std::string& file : files) {
    for (Limit& limit : MarkedLimits(file, Lines(ReadFile(file))))
      limits.push_back(std::move(limit));
  }
  for (const std::string& line : Lines(ReadFile("fixtures/cases/KNOWN_GAPS.txt")))
    AddGap(line, &limits);
  return limits;
}

std::string LimitsPage(std::vector<Limit> limits) {
  std::stable_sort(limits.begin(), limits.end(), [](const Limit& a, const Limit& b) {
    return std::tuple(a.rule, !a.missed, a.file) < std::tuple(b.rule, !b.missed, b.file);
  });
  const auto missed = static_cast<std::size_t>(
      std::count_if(limits.begin(), limits.end(), [](const Limit& limit) { return limit.missed; }));
  std::string page(kHead);
  page += fmt::format("\n**{} missed, {} false alarms.**\n", missed, limits.size() - missed);
  std::string rule;
  for (const Limit& limit : limits) {
    if (limit.rule != rule) {
      rule = limit.rule;
      const engine::Rule* known = engine::FindRule(rule);
      page += fmt::format("\n## {} {}\n\n| | line | why | where |\n|---|---|---|---|\n", rule,
                          known == nullptr ? "" : known->info().name);
    }
    const std::string name = limit.file.substr(limit.file.rfind('/') + 1);
    page +=
        fmt::format("| {} | `{}` | {} | [{}](../{}) |\n", limit.missed ? "missed" : "false alarm",
                    Cell(limit.code), Cell(limit.reason), name, limit.file);
  }
  return page;
}

}  // namespace torchleak::tests
