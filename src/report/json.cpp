#include <nlohmann/json.hpp>

#include "report/formats.h"
#include "report/place.h"

namespace torchleak::report {
namespace {

using Json = nlohmann::ordered_json;

Json PositionJson(text::Position position) {
  return {{"row", position.row}, {"column", position.column}};
}

Json FlowJson(const ReportInput& input, const findings::Finding& finding) {
  Json flow = Json::array();
  for (const findings::Step& step : finding.flow) {
    const Place place = PlaceOf(input, finding, step.location);
    flow.push_back({{"filename", AbsolutePath(place.path, input.root)},
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
          {"cell", nullptr},
          {"function", finding.function},
          {"url", RuleUrl(finding.name)},
          {"fingerprint", finding.fingerprint},
          {"flow", FlowJson(input, finding)},
          {"fix", FixJson(input, finding)}};
}

}  // namespace

std::string RenderJson(const ReportInput& input) {
  Json all = Json::array();
  for (const findings::Finding& finding : input.findings)
    all.push_back(FindingJson(input, finding));
  // Paths may hold bytes that are not UTF-8: replaced, since the default would throw.
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace torchleak::report
