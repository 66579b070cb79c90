// reviewdog's diagnostic format: https://github.com/reviewdog/reviewdog/tree/master/proto/rdf
//
// Its columns count bytes. It comments on the lines of a diff, so places in a notebook are those of
// its JSON, and suggestions replace JSON.
#include <string>

#include <fmt/format.h>

#include "report/disk_edit.h"
#include "report/fixable.h"
#include "report/formats.h"
#include "report/json_list.h"
#include "report/place.h"

namespace torchleak::report {
namespace {

std::string_view SeverityOf(findings::Severity severity) {
  switch (severity) {
    case findings::Severity::kError:
      return "ERROR";
    case findings::Severity::kWarning:
      return "WARNING";
    case findings::Severity::kNote:
      return "INFO";
  }
  return "INFO";
}

Json PositionJson(const DiskPosition& position) {
  return {{"line", position.row}, {"column", position.byte_column}};
}

Json RangeJson(const DiskRegion& region) {
  return {{"start", PositionJson(region.begin)}, {"end", PositionJson(region.end)}};
}

Json LocationJson(const ReportInput& input, const Place& place) {
  return {{"path", DisplayPath(place.path, input.root)}, {"range", RangeJson(OnDisk(place))}};
}

// A suggestion stands at the file of its diagnostic.
Json Suggestions(const ReportInput& input, const findings::Finding& finding) {
  Json suggestions = Json::array();
  if (!HasFix(finding)) return suggestions;
  for (const DiskEdit& edit : JoinedDiskEdit(input, finding)) {
    if (edit.path != finding.location.path) continue;
    suggestions.push_back({{"range", RangeJson(edit.region)}, {"text", edit.content}});
  }
  return suggestions;
}

Json Diagnostic(const ReportInput& input, const findings::Finding& finding) {
  const Place place = PlaceOf(input, finding, finding.location);
  const std::string cell = place.cell == 0 ? "" : fmt::format("cell {}: ", place.cell);
  Json related = Json::array();
  for (const findings::Step& step : finding.flow) {
    related.push_back({{"message", step.message},
                       {"location", LocationJson(input, PlaceOf(input, finding, step.location))}});
  }
  std::string message = cell + finding.message;
  if (!finding.help.empty()) message += fmt::format("\n{}", finding.help);
  Json diagnostic = {{"message", std::move(message)},
                     {"location", LocationJson(input, place)},
                     {"severity", SeverityOf(finding.severity)},
                     {"code", {{"value", finding.code}, {"url", RuleUrl(finding.name)}}}};
  if (Json suggestions = Suggestions(input, finding); !suggestions.empty()) {
    diagnostic["suggestions"] = std::move(suggestions);
  }
  if (!related.empty()) diagnostic["related_locations"] = std::move(related);
  return diagnostic;
}

}  // namespace

std::string RenderRdjson(const ReportInput& input) {
  constexpr std::size_t kDepth = 2;  // indent of the key "diagnostics"
  JsonList all(kDepth);
  for (const findings::Finding& finding : input.findings) all.Add(Diagnostic(input, finding));
  const Json result = {{"source", {{"name", "torchleak"}, {"url", kHomeUrl}}},
                       {"severity", "WARNING"},
                       {"diagnostics", Json::array()}};
  std::string text = Dump(result);
  text.replace(text.rfind("[]"), 2, all.Take());
  return text + "\n";
}

}  // namespace torchleak::report
