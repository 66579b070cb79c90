// HtmlPlots: how many findings there are by severity, rule and folder, as bars. Inner to this
// layer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace torchleak::report {

// The folder under which a finding is counted: the first parts of its path, as many as all findings
// need to fall into a few folders. Example: "fairseq/models".
class Folders {
 public:
  explicit Folders(const ReportInput& input);
  std::string Of(std::string_view path) const;

 private:
  const ReportInput& input_;
  std::size_t depth_ = 1;
};

// Three panels. Rows are buttons that the script turns into filters.
std::string HtmlPlots(const ReportInput& input, const Folders& folders);

// <option>s of all rules and folders with findings.
std::string HtmlRuleOptions(const ReportInput& input);
std::string HtmlFolderOptions(const ReportInput& input, const Folders& folders);

}  // namespace torchleak::report
