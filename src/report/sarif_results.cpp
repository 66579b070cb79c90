#include "report/sarif_results.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/line_hash.h"
#include "report/page_text.h"

namespace torchleak::report {
namespace {

// Steps that the message links to. More would bury the message; the code flow has them all.
constexpr std::size_t kLinkedSteps = 8;

Json Region(const Place& place) {
  if (place.source == nullptr) {
    return {{"startLine", 1}, {"startColumn", 1}, {"endLine", 1}, {"endColumn", 1}};
  }
  return {{"startLine", place.begin.row},
          {"startColumn", place.source->Utf16Column(place.span.begin)},
          {"endLine", place.end.row},
          {"endColumn", place.source->Utf16Column(place.span.end)}};
}

// Left out when long, as in generated code: viewers have the file.
void AddSnippet(std::string_view text, Json* region) {
  constexpr std::size_t kLongest = 2000;
  if (text.size() <= kLongest) (*region)["snippet"] = {{"text", text}};
}

// The lines around, for viewers that have no source at hand.
Json ContextRegion(const Place& place) {
  constexpr std::uint32_t kLines = 2;
  const std::uint32_t first = place.begin.row > kLines ? place.begin.row - kLines : 1;
  const std::uint32_t last = std::min(place.begin.row + kLines, place.source->line_count());
  Json region = {{"startLine", first}, {"endLine", last}};
  AddSnippet(
      place.source->Text({place.source->LineSpan(first).begin, place.source->LineSpan(last).end}),
      &region);
  return region;
}

// 10 to 90 in steps of ten: severity first, confidence within it.
double Rank(const findings::Finding& finding) {
  return 10.0 + 30.0 * static_cast<double>(finding.severity) +
         10.0 * static_cast<double>(finding.confidence);
}

// A link's text in a SARIF message: brackets are escaped (SARIF 2.1.0, section 3.11.6).
std::string LinkText(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  return out;
}

// Text outside links must not look like one: "xs[0](y)" would.
std::string NoLinks(std::string_view text) {
  return text.find("](") == std::string_view::npos ? std::string(text) : LinkText(text);
}

// "Message. Path: [created here](1), [stored here](2)."
std::string MessageText(const findings::Finding& finding, const std::vector<std::size_t>& steps) {
  std::string message = NoLinks(Sentence(finding.message));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    message += fmt::format("{}[{}]({})", i == 0 ? " Path: " : ", ",
                           LinkText(finding.flow[steps[i]].message), i + 1);
  }
  if (!steps.empty()) message.push_back('.');
  return message;
}

}  // namespace

Json SarifArtifacts::Location(std::string_view path) {
  const std::string absolute = AbsolutePath(path, input_.root);
  const std::string relative = DisplayPath(absolute, input_.root);
  const bool below_root = !relative.starts_with('/');
  Json location;
  location["uri"] = below_root ? RelativeUri(relative) : FileUri(absolute);
  if (below_root) location["uriBaseId"] = "%SRCROOT%";
  const auto [found, is_new] = index_of_.emplace(absolute, artifacts_.size());
  if (is_new) {
    artifacts_.push_back({{"location", location},
                          {"mimeType", "text/x-python"},
                          {"sourceLanguage", "python"},
                          {"roles", Json::array({"analysisTarget"})}});
  }
  location["index"] = found->second;
  return location;
}

SarifResults::SarifResults(const ReportInput& input, const SarifRules& rules,
                           SarifArtifacts* artifacts, std::size_t location_limit)
    : input_(input), rules_(rules), artifacts_(artifacts), location_limit_(location_limit) {}

Json SarifResults::PhysicalLocation(const Place& whole) {
  const Place place = FirstLineOf(whole);
  Json region = Region(place);
  if (place.source != nullptr && place.span.begin != place.span.end) {
    AddSnippet(place.source->Text(place.span), &region);
  }
  return {{"artifactLocation", artifacts_->Location(place.path)}, {"region", std::move(region)}};
}

// All steps, or as many from the start as fit beside the last one, which says where the path ends.
std::vector<std::size_t> SarifResults::KeptSteps(const findings::Finding& finding,
                                                 std::size_t limit) const {
  std::vector<std::size_t> kept;
  const std::size_t count = finding.flow.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (count <= limit || i + 1 < limit || i + 1 == count) kept.push_back(i);
  }
  return kept;
}

Json SarifResults::CodeFlows(const findings::Finding& finding) {
  const auto kept = KeptSteps(finding, location_limit_);
  locations_cut_ += finding.flow.size() - kept.size();
  Json locations = Json::array();
  for (const std::size_t i : kept) {
    const findings::Step& step = finding.flow[i];
    locations.push_back(
        {{"location",
          {{"physicalLocation", PhysicalLocation(PlaceOf(input_, finding, step.location))},
           {"message", {{"text", Requoted(Sentence(step.message))}}}}},
         {"nestingLevel", 0},
         {"executionOrder", i + 1},
         {"importance", "essential"}});
  }
  Json thread_flow = {{"locations", std::move(locations)}};
  return Json::array({{{"threadFlows", Json::array({std::move(thread_flow)})}}});
}

Json SarifResults::RelatedLocations(const findings::Finding& finding,
                                    const std::vector<std::size_t>& steps) {
  Json related = Json::array();
  for (const std::size_t i : steps) {
    const findings::Step& step = finding.flow[i];
    related.push_back(
        {{"id", related.size() + 1},
         {"physicalLocation", PhysicalLocation(PlaceOf(input_, finding, step.location))},
         {"message", {{"text", Requoted(Sentence(step.message))}}}});
  }
  return related;
}

Json SarifResults::Fixes(const findings::Finding& finding) {
  std::vector<std::string_view> paths;  // in the order of first mention
  std::map<std::string_view, Json> replacements;
  for (const findings::Edit& edit : finding.fix->edits) {
    const Place place = PlaceOf(input_, finding, edit.location);
    const auto [found, is_new] = replacements.emplace(place.path, Json::array());
    if (is_new) paths.push_back(place.path);
    // Without insertedContent GitHub drops the fix, also when there is nothing to insert.
    found->second.push_back(
        {{"deletedRegion", Region(place)}, {"insertedContent", {{"text", edit.content}}}});
  }
  Json changes = Json::array();
  for (const std::string_view path : paths) {
    changes.push_back({{"artifactLocation", artifacts_->Location(path)},
                       {"replacements", std::move(replacements[path])}});
  }
  return Json::array({{{"description", {{"text", Requoted(Sentence(finding.fix->message))}}},
                       {"artifactChanges", std::move(changes)},
                       {"properties", {{"applicability", Name(finding.fix->applicability)}}}}});
}

Json SarifResults::Fingerprints(const findings::Finding& finding, const Place& place) {
  Json fingerprints = Json::object();
  if (place.source != nullptr) {
    if (place.source != hashed_) {
      hashed_ = place.source;
      line_hashes_ = LineHashes(place.source->bytes());
    }
    const std::size_t row = place.begin.row;
    if (row <= line_hashes_.size()) fingerprints["primaryLocationLineHash"] = line_hashes_[row - 1];
  }
  if (!finding.fingerprint.empty()) fingerprints["torchleak/v1"] = finding.fingerprint;
  return fingerprints;
}

Json SarifResults::Suppressions(const SuppressedFinding& suppressed) {
  const bool in_source = suppressed.kind == SuppressedFinding::Kind::kInSource;
  Json suppression = {{"kind", in_source ? "inSource" : "external"}, {"status", "accepted"}};
  if (suppressed.where) {
    suppression["location"] = {
        {"physicalLocation",
         PhysicalLocation(PlaceOf(input_, suppressed.finding, *suppressed.where))}};
  }
  // The gate asks for a reason (SARIF2017); that of a baseline is what a baseline is for.
  suppression["justification"] = !suppressed.justification.empty() ? suppressed.justification
                                 : in_source ? "A comment in the source suppresses this finding."
                                             : "This finding is known to the baseline.";
  return Json::array({std::move(suppression)});
}

Json SarifResults::ResultOf(const findings::Finding& finding, const SuppressedFinding* suppressed) {
  const Place place = PlaceOf(input_, finding, finding.location);
  const auto linked = KeptSteps(finding, std::min(kLinkedSteps, location_limit_));
  const std::string message = MessageText(finding, linked);
  Json physical = PhysicalLocation(place);
  if (place.source != nullptr) physical["contextRegion"] = ContextRegion(place);
  Json location = {{"physicalLocation", std::move(physical)}};
  if (!finding.function.empty() && finding.function != "<module>") {
    location["logicalLocations"] =
        Json::array({{{"fullyQualifiedName", finding.function}, {"kind", "function"}}});
  }
  Json result = {{"ruleId", finding.code},
                 {"ruleIndex", rules_.IndexOf(finding.code)},
                 {"kind", "fail"},
                 {"level", Name(finding.severity)},
                 {"message", {{"text", Requoted(message)}, {"markdown", message}}},
                 {"locations", Json::array({std::move(location)})},
                 {"partialFingerprints", Fingerprints(finding, place)}};
  if (!finding.flow.empty()) {
    result["codeFlows"] = CodeFlows(finding);
    result["relatedLocations"] = RelatedLocations(finding, linked);
  }
  if (finding.fix && !finding.fix->edits.empty()) result["fixes"] = Fixes(finding);
  if (input_.sarif_full) {
    result["suppressions"] = suppressed == nullptr ? Json::array() : Suppressions(*suppressed);
    const bool known =
        suppressed != nullptr && suppressed->kind == SuppressedFinding::Kind::kExternal;
    // What a comment suppresses was never compared with the baseline.
    const bool compared = input_.has_baseline && (suppressed == nullptr || known);
    if (compared) result["baselineState"] = known ? "unchanged" : "new";
  }
  result["rank"] = Rank(finding);
  result["properties"] = {{"confidence", Name(finding.confidence)}};
  return result;
}

}  // namespace torchleak::report
