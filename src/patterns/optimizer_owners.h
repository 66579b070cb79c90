// OptimizerOwners: which modules an optimizer steps, as far as one file tells.
//
// By construction, `opt_d = Adam(chain(disc.parameters(), head.parameters()))`, and where none is
// in sight by name: `d_opt` steps `disc`, `optimizer_G` steps `self.gen`. Everything goes by the
// text of variables and attributes, so that what one method makes another one finds.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "patterns/sight.h"

namespace torchleak::patterns {

class OptimizerOwners {
 public:
  explicit OptimizerOwners(const Sight& sight);

  // Does the optimizer surely step that module's parameters?
  bool Steps(std::string_view optimizer, std::string_view module) const;
  // May it? True as well when what it was made of is not wholly understood.
  bool MayStep(std::string_view optimizer, std::string_view module) const;
  // Optimizers that are stepped or made somewhere in the file.
  const std::set<std::string>& optimizers() const { return optimizers_; }

 private:
  struct Made {
    std::set<std::string> modules;
    bool complete = true;
  };
  void TakeConstruction(const Sight& sight, const flow::FunctionResult& r, flow::ValueId call);

  std::map<std::string, Made, std::less<>> made_;
  std::set<std::string> optimizers_;
};

}  // namespace torchleak::patterns
