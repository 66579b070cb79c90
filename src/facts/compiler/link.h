// Link: all stubs together become one table of names, with aliases, inheritance and templates
// worked out, so that nothing is left to do when the analyzer runs but to look a name up.
//
// Templates: a stub whose file name starts with an underscore declares functions that live nowhere
// by themselves. `from torch._ops import *` at the top of another stub declares them there,
// `import _plain as math` in the module math; `from torch._ops import *` in a class body declares
// them as methods, the first parameter becoming the receiver.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "facts/compiler/stub.h"
#include "facts/facts.h"

namespace torchleak::facts::stubs {

struct LinkedClass {
  std::vector<std::string> ancestors;  // canonical names: itself, then the nearest first
  std::string receiver;  // nearest ancestor marked @receiver; empty when there is none
  std::string suffix;    // of @by_name: its own name; empty without
};

// Keys are canonical qualified names. The string_views inside Fact stay empty.
struct Linked {
  std::map<std::string, Fact> facts;
  std::map<std::string, Fact> attributes;  // result and graph count
  std::map<std::string, LinkedClass> classes;
  std::map<std::string, std::string> names;  // every name, aliases included -> canonical
  std::map<std::string, std::uint16_t> evidence;
};

// Module of the stub that lists evidence about receivers instead of facts.
inline constexpr std::string_view kEvidenceModule = "evidence";

// Appends to *errors; the table is of use only when there are none.
Linked Link(const std::vector<Stub>& stubs, std::vector<Error>* errors);

}  // namespace torchleak::facts::stubs
