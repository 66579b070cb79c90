// OptimizerOwners: which modules an optimizer steps, as far as one file tells.
//
// By construction, `opt_d = Adam(chain(disc.parameters(), head.parameters()))`, and where none is
// in sight by name: `d_opt` steps `disc`, `optimizer_G` steps `self.gen`. Everything goes by the
// text of variables and attributes, so that what one method makes another one finds; a local
// variable of another function only counts when that function knows both names.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

class OptimizerOwners {
 public:
  explicit OptimizerOwners(const Sight& sight);

  // Does the optimizer surely step that module's parameters?
  bool Steps(const flow::FunctionResult& r, std::string_view optimizer,
             std::string_view module) const;
  // May it? True as well when what it was made of is not wholly understood.
  bool MayStep(const flow::FunctionResult& r, std::string_view optimizer,
               std::string_view module) const;
  // Optimizers that are stepped or made somewhere in the file.
  const std::set<std::string>& optimizers() const { return optimizers_; }

 private:
  struct Made {
    std::set<std::string> modules;
    bool complete = true;
    sema::FunctionId function = sema::kNoFunction;  // whose local variable it is
  };
  // What is known of the optimizer there; nullptr: no more than its name.
  const Made* MadeOf(const flow::FunctionResult& r, std::string_view optimizer,
                     std::string_view module) const;
  void TakeConstruction(const Sight& sight, const flow::FunctionResult& r, flow::ValueId call);

  std::map<std::string, std::vector<Made>, std::less<>> made_;
  std::set<std::string, std::less<>> modules_;  // that some optimizer is made of
  std::set<std::string> optimizers_;
};

}  // namespace torchleak::patterns
