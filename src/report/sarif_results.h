// The `results` and `artifacts` of a SARIF run. Inner to this layer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "report/disk_edit.h"
#include "report/place.h"
#include "report/report.h"
#include "report/sarif_rules.h"

namespace torchleak::report {

// Every file that the run speaks of, once, in the order of first mention.
class SarifArtifacts {
 public:
  explicit SarifArtifacts(const ReportInput& input) : input_(input) {}

  // {"uri", "uriBaseId", "index"}: relative to %SRCROOT% below the root, absolute elsewhere.
  Json Location(std::string_view path);
  Json Take() { return std::move(artifacts_); }

 private:
  const ReportInput& input_;
  Json artifacts_ = Json::array();
  std::unordered_map<std::string, std::size_t> index_of_;  // by absolute path
};

class SarifResults {
 public:
  SarifResults(const ReportInput& input, const SarifRules& rules, SarifArtifacts* artifacts,
               std::size_t location_limit);

  // `suppressed`: why the finding is not shown, nullptr when it is.
  Json ResultOf(const findings::Finding& finding, const SuppressedFinding* suppressed);
  // Locations left out of results so far because of the limit.
  std::size_t locations_cut() const { return locations_cut_; }

 private:
  Json PhysicalLocation(const Place& place);
  std::vector<std::size_t> KeptSteps(const findings::Finding& finding, std::size_t limit) const;
  Json CodeFlows(const findings::Finding& finding);
  Json RelatedLocations(const findings::Finding& finding, const std::vector<std::size_t>& steps);
  Json StepLocation(const findings::Finding& finding, const findings::Step& step);
  Json Fixes(const findings::Finding& finding, const std::vector<DiskEdit>& edits);
  Json Suppressions(const SuppressedFinding& suppressed);
  Json Fingerprints(const findings::Finding& finding, const Place& place);

  const ReportInput& input_;
  const SarifRules& rules_;
  SarifArtifacts* artifacts_;
  std::size_t location_limit_;
  std::size_t locations_cut_ = 0;
  // Line hashes of the file at hand: results come sorted by path, so one is enough.
  const text::Source* hashed_ = nullptr;
  std::vector<std::string> line_hashes_;
};

}  // namespace torchleak::report
