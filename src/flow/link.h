// Links: what a file gets from the other files of its project, in the file's own numbering.
//
//   sema::Module module = sema::Analyze(tree);
//   Links links = Link(&module, surroundings);   // declares what other files define
//   FileEvents events = Analyze(module, links);
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flow/interface.h"

namespace torchleak::flow {

// The other files, as one file sees them.
class Surroundings {
 public:
  struct Found {
    bool in_project = false;  // the name starts with a module of the project
    InterfacePtr file;        // that defines it; null when not known (yet)
    std::string name;         // within that file: "f", "Class"; empty for the module itself
  };
  virtual ~Surroundings() = default;
  // A name as sema gives it: "pkg.mod.f", "..util.Meter".
  virtual Found Find(std::string_view qualified) const = 0;
};

struct Links {
  struct Foreign {
    InterfacePtr file;
    std::uint32_t index = 0;  // in the interface's functions or classes
  };
  std::vector<Foreign> functions;  // by FunctionId, from the file's own count on
  std::vector<Foreign> classes;
  std::vector<Summary> summaries;                           // of functions
  std::vector<std::vector<AttributeInterface>> attributes;  // of classes
  std::vector<std::pair<sema::BindingId, Value>> globals;
};

Links Link(sema::Module* module, const Surroundings& surroundings);

}  // namespace torchleak::flow
