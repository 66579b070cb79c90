// reviewdog's diagnostic format: https://github.com/reviewdog/reviewdog/tree/master/proto/rdf
//
// Its columns count bytes. It comments on the lines of a diff, so places in a notebook are those of
// its JSON; a suggestion would have to be JSON as well, and is left out there.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

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

Json RangeJson(const Place& place) {
  const DiskRegion region = OnDisk(place);
  return {{"start", PositionJson(region.begin)}, {"end", PositionJson(region.end)}};
}

Json LocationJson(const ReportInput& input, const Place& place) {
  return {{"path", DisplayPath(place.path, input.root)}, {"range", RangeJson(place)}};
}

// All edits as one replacement, from the first to the last: a reader accepts a suggestion at a
// time, and half of a fix is none. Nothing when they reach into other files or overlap.
Json Suggestions(const ReportInput& input, const findings::Finding& finding, const Place& own) {
  Json none = Json::array();
  if (!HasFix(finding) || own.source == nullptr || own.cell != 0) return none;
  std::vector<std::pair<Place, std::string_view>> edits;
  for (const findings::Edit& edit : finding.fix->edits) {
    edits.emplace_back(PlaceOf(input, finding, edit.location), edit.content);
    if (edits.back().first.path != own.path) return none;
  }
  std::stable_sort(edits.begin(), edits.end(), [](const auto& a, const auto& b) {
    return a.first.span.begin < b.first.span.begin;
  });
  Place whole = edits.front().first;
  std::string text;
  std::uint32_t at = whole.span.begin;
  for (const auto& [place, content] : edits) {
    if (place.span.begin < at) return none;
    text += own.source->Text({at, place.span.begin});
    text += content;
    at = place.span.end;
  }
  whole.span.end = at;
  return Json::array({{{"range", RangeJson(whole)}, {"text", text}}});
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
  if (Json suggestions = Suggestions(input, finding, place); !suggestions.empty()) {
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
