// The `rules` and `taxonomies` of a SARIF run. Inner to this layer.
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>

#include "report/json_list.h"
#include "report/report.h"

namespace torchleak::report {

class SarifRules {
 public:
  // The selected rules, then a bare one for each code that a finding has and no rule explains.
  explicit SarifRules(const ReportInput& input);

  std::size_t IndexOf(std::string_view code) const { return index_of_.at(code); }
  Json TakeRules() { return std::move(rules_); }

 private:
  void AddUnknown(const findings::Finding& finding);
  void Add(std::string_view code, Json rule);

  Json rules_ = Json::array();
  std::unordered_map<std::string_view, std::size_t> index_of_;
};

// The weaknesses (CWE) that rules refer to by their tags "external/cwe/cwe-401".
Json SarifTaxonomies();
Json SarifSupportedTaxonomies();

}  // namespace torchleak::report
