// AttributeResets: which classes of a file empty or rebind an attribute outside of __init__.
//
//   const AttributeResets resets(sight);
//   resets.Any(name_of_rows, cls, filler)  // does anybody empty `.rows` of an object of that
//   class?
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

enum class Resets : std::uint8_t {
  kAll,
  kByOthers,      // not by the method that stores, whose every store is one
  kBetweenCalls,  // neither by the method that stores nor by the hooks of an epoch's start and end
};

class AttributeResets {
 public:
  explicit AttributeResets(const Sight& sight);  // one pass over the file

  // A method of the class or of a base of it does, or code that holds an object nobody knows, or
  // another file. A subclass speaks for a base that the file neither makes nor names, as long as it
  // inherits `filler`, the method that stores. kNoClass: anybody.
  bool Any(sema::NameId attribute, sema::ClassId cls, sema::FunctionId filler,
           Resets which = Resets::kAll) const;
  // Class of the object that a variable holds: `self`, an annotation, one constructor call.
  sema::ClassId ClassOf(sema::BindingId root) const;

 private:
  void FindResets();
  void FindInstances();
  bool Empties(sema::ClassId owner, sema::ClassId cls, sema::FunctionId filler) const;

  const Sight& sight_;
  // By attribute: who empties one of that name, kNoClass where it is not known whose.
  std::unordered_map<std::uint32_t, std::vector<std::pair<sema::ClassId, sema::FunctionId>>> all_;
  std::vector<bool> instances_;  // by class: the file makes or names one
};

}  // namespace torchleak::patterns
