// CheckReport: the findings of a run of `check` in the formats that were asked for.
#pragma once

#include <string>
#include <vector>

#include "cli/check_options.h"
#include "cli/check_plan.h"
#include "driver/check.h"
#include "report/report.h"

namespace torchleak::cli {

class CheckReport {
 public:
  // All of them must outlive it.
  CheckReport(const CheckArguments& arguments, const CheckPlan& plan,
              const driver::FindingSet& set);

  // `descriptor`: where it will be written; -1 for a file.
  std::string Text(const Output& output, int descriptor) const;

 private:
  std::string Statistics(report::Format format) const;

  const CheckArguments& arguments_;
  const CheckPlan& plan_;
  const driver::FindingSet& set_;
  std::vector<report::Notification> notifications_;
  std::vector<report::SuppressedFinding> suppressed_;
};

}  // namespace torchleak::cli
