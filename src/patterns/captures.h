// Captures: what functions hold of the functions around them.
#pragma once

#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

class Captures {
 public:
  explicit Captures(const Sight& sight) : sight_(sight), module_(sight.module()) {}

  // Variables of other functions, not of the module, that the function uses.
  std::vector<sema::BindingId> Of(sema::FunctionId id) const;
  // The functions nested in this one that a value is: lambdas, and defs by their name.
  std::vector<sema::FunctionId> Nested(const flow::Body& body, flow::ValueId value) const;
  // `self` itself, one of its methods (`bound` is set then), a function that uses it, a partial()
  // of one of these, or a display that holds one.
  bool RefersToSelf(const flow::FunctionResult& r, flow::ValueId value, bool* bound) const;

 private:
  bool IsSelf(const flow::Body& body, flow::ValueId value) const;
  bool IsMethodOfSelf(const flow::Body& body, flow::ValueId value) const;

  const Sight& sight_;
  const sema::Module& module_;
};

}  // namespace torchleak::patterns
