// --baseline and --baseline-commit, between the check and its report.
//
// A run on a developer's machine drops from the baseline file what is gone, so that what was mended
// cannot come back unseen; where CI is set it only says so, since nobody would commit the file.
#pragma once

#include <optional>

#include "baseline/baseline.h"
#include "cli/check_plan.h"
#include "driver/check.h"

namespace torchleak::cli {

class BaselineStep {
 public:
  explicit BaselineStep(bool loud) : loud_(loud) {}  // says on stderr what happens to the file

  // Before the check, so that a wrong file costs no time. False: the error has been printed.
  bool Load(const CheckPlan& plan);
  // Leaves the new findings in `set`, the others in set->known.
  bool Apply(const CheckPlan& plan, driver::FindingSet* set) const;

  // The same for the checks between two rounds of fixes, which write nothing: findings that the
  // baseline file knows go to set->known, and come back.
  void SetKnownApart(const CheckPlan& plan, driver::FindingSet* set) const;
  static void PutBack(driver::FindingSet* set);

 private:
  bool Drop(const CheckPlan& plan, driver::FindingSet* set) const;

  bool loud_;
  std::optional<baseline::Baseline> baseline_;
};

}  // namespace torchleak::cli
