// Interface: what one file tells the files that import it.
//
// Plain data without any reference to the file's tree: summaries of its functions, its classes with
// their methods and attributes, its module-level names. All ids in it count within the interface
// itself: names in `names`, functions and classes in `functions` and `classes`, and beyond their
// ends in `foreign_functions` and `foreign_classes`, which stand in other interfaces. A Sink whose
// root is a binding names an entry of `globals`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "flow/attribute_uses.h"
#include "flow/result.h"
#include "sema/module.h"

namespace torchleak::flow {

class World;
struct Interface;
using InterfacePtr = std::shared_ptr<const Interface>;

struct FunctionInterface {
  sema::Function head;    // node == kNoNode; names and flags
  sema::FunctionId own;   // its number in its file
  std::uint32_t row = 0;  // of its name, from 1
  Role role = Role::kPlain;
  GradMode decorated = GradMode::kInherit;
  std::vector<std::uint16_t> evidence;  // by parameter
  Summary summary;
  bool operator==(const FunctionInterface&) const = default;
};

struct AttributeInterface {
  sema::NameId name;
  Value value;
  bool operator==(const AttributeInterface&) const = default;
};

struct ClassInterface {
  sema::Class head;  // methods and direct_bases; node == kNoNode
  std::uint32_t row = 0;
  std::vector<AttributeInterface> attributes;
  bool frozen = false, weightless = false;
  bool operator==(const ClassInterface&) const = default;
};

struct GlobalInterface {
  sema::NameId name;
  sema::FunctionId function = sema::kNoFunction;
  sema::ClassId class_id = sema::kNoClass;
  Value value;
  bool operator==(const GlobalInterface&) const = default;
};

struct Interface {
  PathPtr path;  // as findings carry it
  std::vector<std::string> names;
  std::vector<FunctionInterface> functions;
  std::vector<ClassInterface> classes;
  std::vector<GlobalInterface> globals;
  std::unordered_map<std::string, std::uint32_t> global_of;  // by name
  std::vector<std::pair<InterfacePtr, std::uint32_t>> foreign_functions, foreign_classes;
  AttributeUses uses;

  // Says the same; what it takes from other files is the very same object.
  bool operator==(const Interface& other) const;
};

// The interface of an analysed file.
InterfacePtr Export(const World& world, const text::Source& source);

}  // namespace torchleak::flow
