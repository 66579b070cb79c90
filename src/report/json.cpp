// Positions in a notebook are those within the cell, whose number is beside them.
#include "report/formats.h"
#include "report/json_list.h"
#include "report/place.h"

namespace torchleak::report {
namespace {

Json PositionJson(text::Position position) {
  return {{"row", position.row}, {"column", position.column}};
}

Json CellJson(const Place& place) { return place.cell == 0 ? Json() : Json(place.cell); }

Json FlowJson(const ReportInput& input, const findings::Finding& finding) {
  Json flow = Json::array();
  for (const findings::Step& step : finding.flow) {
    const Place place = PlaceOf(input, finding, step.location);
    flow.push_back({{"filename", AbsolutePath(place.path, input.root)},
                    {"cell", CellJson(place)},
                    {"location", PositionJson(place.begin)},
                    {"end_location", PositionJson(place.end)},
                    {"message", step.message}});
  }
  return flow;
}

Json FixJson(const ReportInput& input, const findings::Finding& finding) {
  if (!finding.fix) return nullptr;
  Json edits = Json::array();
  for (const findings::Edit& edit : finding.fix->edits) {
    const Place place = PlaceOf(input, finding, edit.location);
    edits.push_back({{"content", edit.content},
                     {"filename", AbsolutePath(place.path, input.root)},
                     {"cell", CellJson(place)},
                     {"location", PositionJson(place.begin)},
                     {"end_location", PositionJson(place.end)}});
  }
  return {{"applicability", Name(finding.fix->applicability)},
          {"message", finding.fix->message},
          {"edits", std::move(edits)}};
}

Json FindingJson(const ReportInput& input, const findings::Finding& finding) {
  const Place place = PlaceOf(input, finding, finding.location);
  return {{"code", finding.code},
          {"name", finding.name},
          {"severity", Name(finding.severity)},
          {"confidence", Name(finding.confidence)},
          {"message", finding.message},
          {"filename", AbsolutePath(place.path, input.root)},
          {"location", PositionJson(place.begin)},
          {"end_location", PositionJson(place.end)},
          {"cell", CellJson(place)},
          {"function", finding.function},
          {"url", RuleUrl(finding.name)},
          {"fingerprint", finding.fingerprint},
          {"flow", FlowJson(input, finding)},
          {"fix", FixJson(input, finding)}};
}

}  // namespace

std::string RenderJson(const ReportInput& input) {
  JsonList all(0);
  for (const findings::Finding& finding : input.findings) all.Add(FindingJson(input, finding));
  return all.Take() + "\n";
}

std::string RenderJsonLines(const ReportInput& input) {
  std::string out;
  for (const findings::Finding& finding : input.findings) {
    out += FindingJson(input, finding).dump(-1, ' ', false, Json::error_handler_t::replace);
    out.push_back('\n');
  }
  return out;
}

}  // namespace torchleak::report
