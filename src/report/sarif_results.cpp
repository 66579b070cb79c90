#include "report/sarif_results.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/fixable.h"
#include "report/line_hash.h"
#include "report/page_text.h"
#include "text/notebook.h"

namespace torchleak::report {
namespace {

// Steps that the message links to. More would bury the message; the code flow has them all.
constexpr std::size_t kLinkedSteps = 8;

Json RegionJson(const DiskRegion& region) {
  return {{"startLine", region.begin.row},
          {"startColumn", region.begin.utf16_column},
          {"endLine", region.end.row},
          {"endColumn", region.end.utf16_column}};
}

// Left out when long, as in generated code: viewers have the file.
void AddSnippet(std::string_view text, Json* region) {
  constexpr std::size_t kLongest = 2000;
  if (text.size() <= kLongest) (*region)["snippet"] = {{"text", text}};
}

// The lines around, for viewers that have no source at hand.
Json ContextRegion(const Place& place) {
  const DiskText text = TextOnDisk(place, 2);
  Json region = {{"startLine", text.first_row}, {"endLine", text.last_row}};
  AddSnippet(text.around, &region);
  return region;
}

// The cell and the function that a place lies in, for viewers that show them.
Json LogicalLocations(const Place& place, std::string_view function) {
  Json locations = Json::array();
  if (place.cell != 0) {
    const std::string cell = fmt::format("cell {}", place.cell);
    locations.push_back({{"name", cell}, {"fullyQualifiedName", cell}, {"kind", "module"}});
  }
  if (!function.empty() && function != "<module>") {
    locations.push_back({{"fullyQualifiedName", function}, {"kind", "function"}});
  }
  return locations;
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
    const bool is_notebook = text::IsNotebook(path);
    artifacts_.push_back({{"location", location},
                          {"mimeType", is_notebook ? "application/x-ipynb+json" : "text/x-python"},
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
  Json region = RegionJson(OnDisk(place));
  if (place.source != nullptr && place.span.begin != place.span.end) {
    AddSnippet(TextOnDisk(place, 0).text, &region);
  }
  return {{"artifactLocation", artifacts_->Location(place.path)}, {"region", std::move(region)}};
}

Json SarifResults::StepLocation(const findings::Finding& finding, const findings::Step& step) {
  const Place place = PlaceOf(input_, finding, step.location);
  Json location = {{"physicalLocation", PhysicalLocation(place)}};
  if (Json logical = LogicalLocations(place, ""); !logical.empty()) {
    location["logicalLocations"] = std::move(logical);
  }
  location["message"] = {{"text", Requoted(Sentence(step.message))}};
  return location;
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
    Json location = StepLocation(finding, finding.flow[i]);
    locations.push_back({{"location", std::move(location)},
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
    Json location = {{"id", related.size() + 1}};
    location.update(StepLocation(finding, finding.flow[i]));
    related.push_back(std::move(location));
  }
  return related;
}

Json SarifResults::Fixes(const findings::Finding& finding, const std::vector<DiskEdit>& edits) {
  Json changes = Json::array();
  for (std::size_t i = 0; i < edits.size();) {
    const std::string_view path = edits[i].path;
    Json replacements = Json::array();
    for (; i < edits.size() && edits[i].path == path; ++i) {
      // Without insertedContent GitHub drops the fix, also when there is nothing to insert.
      replacements.push_back({{"deletedRegion", RegionJson(edits[i].region)},
                              {"insertedContent", {{"text", edits[i].content}}}});
    }
    changes.push_back({{"artifactLocation", artifacts_->Location(path)},
                       {"replacements", std::move(replacements)}});
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
      const text::Notebook* notebook = place.source->notebook();
      line_hashes_ = LineHashes(notebook == nullptr ? place.source->bytes() : notebook->raw());
    }
    const std::size_t row = OnDisk(place).begin.row;
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
  if (Json logical = LogicalLocations(place, finding.function); !logical.empty()) {
    location["logicalLocations"] = std::move(logical);
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
  if (HasFix(finding)) {
    const std::vector<DiskEdit> edits = DiskEdits(input_, finding);
    if (!edits.empty()) result["fixes"] = Fixes(finding, edits);
  }
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
  if (place.cell != 0) result["properties"]["cell"] = place.cell;
  return result;
}

}  // namespace torchleak::report
