// GitLab Code Quality: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
//
// The service opens files, so places in a notebook are those of its JSON.
#include <string>
#include <unordered_set>

#include <fmt/format.h>

#include "report/formats.h"
#include "report/json_list.h"
#include "report/page_text.h"
#include "report/place.h"

namespace torchleak::report {
namespace {

std::string_view SeverityOf(const findings::Finding& finding) {
  switch (finding.severity) {
    case findings::Severity::kError:
      return "major";
    case findings::Severity::kWarning:
      return "minor";
    case findings::Severity::kNote:
      return "info";
  }
  return "info";
}

Json PositionJson(const DiskPosition& position) {
  return {{"line", position.row}, {"column", position.column}};
}

// Two issues of equal fingerprints count as one there: a finding without one of its own (its source
// is gone), or whose is taken, gets another, numbered until it is free.
std::string UniqueFingerprint(const findings::Finding& finding, std::string_view path,
                              std::unordered_set<std::string>* used) {
  std::string fingerprint = finding.fingerprint;
  for (unsigned i = 0; fingerprint.empty() || !used->insert(fingerprint).second; ++i) {
    fingerprint = findings::Fingerprint(finding.code, path, finding.function, finding.message, i);
  }
  return fingerprint;
}

}  // namespace

std::string RenderGitlab(const ReportInput& input) {
  JsonList all(0);
  std::unordered_set<std::string> used;
  for (const findings::Finding& finding : input.findings) {
    const Place place = PlaceOf(input, finding, finding.location);
    const DiskRegion region = OnDisk(place);
    const std::string path = DisplayPath(place.path, input.root);
    const std::string cell = place.cell == 0 ? "" : fmt::format("Cell {}: ", place.cell);
    all.Add({{"description", fmt::format("{}{}", cell, Requoted(Sentence(finding.message)))},
             {"check_name", finding.code},
             {"fingerprint", UniqueFingerprint(finding, path, &used)},
             {"severity", SeverityOf(finding)},
             {"location",
              {{"path", path},
               {"lines", {{"begin", region.begin.row}, {"end", region.end.row}}},
               {"positions",
                {{"begin", PositionJson(region.begin)}, {"end", PositionJson(region.end)}}}}}});
  }
  return all.Take() + "\n";
}

}  // namespace torchleak::report
