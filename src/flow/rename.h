// Carries a summary from one numbering of names, functions, classes and globals to another.
// Private to the flow layer.
#pragma once

#include "flow/result.h"

namespace torchleak::flow {

class Numbering {
 public:
  virtual ~Numbering() = default;
  virtual sema::NameId Name(sema::NameId name) = 0;
  virtual sema::FunctionId Function(sema::FunctionId function) = 0;  // kNoFunction: unknown there
  virtual sema::ClassId Class(sema::ClassId cls) = 0;                // kNoClass: unknown there
  virtual sema::BindingId Global(sema::BindingId global) = 0;        // kNoBinding: unknown there
  virtual PathPtr Path() = 0;                                        // of sites that have none
};

// What has no counterpart becomes unknown, or is left out.
void Rename(Summary* summary, Numbering& numbering);
void Rename(Value* value, Numbering& numbering);

}  // namespace torchleak::flow
