// Stub: one file of rules/facts as plain declarations, before anything is looked up.
//
//   Stub stub = ReadStub("torch.nn", source, &errors);
//
// What may stand in a stub: functions, classes with methods, annotated names (attributes),
// `from a.b import c as d`, `from a.b import *`. Anything else is an error, so that a typing slip
// never passes for a fact.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/source.h"

namespace torchleak::facts::stubs {

// "rules/facts/torch/nn.pyi:12: unknown decorator @bakward"
struct Error {
  std::string path;
  std::uint32_t line = 0;
  std::string message;
};
std::string Format(const Error& error);

struct Decorator {
  std::string name;      // "backward"
  std::string argument;  // "loss" of @backward("loss"); empty when there is none
  std::uint32_t line = 0;
};

struct Parameter {
  std::string name;        // without its stars
  std::string annotation;  // "Target"; empty when there is none
  bool positional = true;  // can be given by position; *args counts
};

struct Function {
  std::string name;
  std::vector<Decorator> decorators;
  std::vector<Parameter> parameters;  // `self` or `cls` of a method included
  std::string returns;                // "Detached[Tensor]"; empty when there is none
  std::uint32_t line = 0;
};

struct Attribute {
  std::string name;
  std::string annotation;
  std::uint32_t line = 0;
};

// `from module import name as alias`; name "*" imports everything.
struct Import {
  std::string module;
  std::string name;
  std::string alias;       // the local name
  bool reexported = true;  // with an explicit `as`, or `*`: as in other stub files (PEP 484)
  std::uint32_t line = 0;
};

struct Class {
  std::string name;
  std::vector<std::string> bases;
  std::vector<Decorator> decorators;
  std::vector<Function> methods;
  std::vector<Attribute> attributes;
  std::vector<Import> templates;  // `from torch._ops import *` in the class body
  std::uint32_t line = 0;
};

struct Stub {
  std::string path;    // for messages
  std::string module;  // "torch.nn"; empty for rules/facts/__init__.pyi
  std::vector<Function> functions;
  std::vector<Class> classes;
  std::vector<Attribute> attributes;
  std::vector<Import> imports;
};

// "torch/nn/functional.pyi" -> "torch.nn.functional"; "torch/__init__.pyi" -> "torch".
std::string ModuleOf(std::string_view relative_path);

// Appends to *errors what it did not understand; the rest is in the returned stub.
Stub ReadStub(std::string module, const text::Source& source, std::vector<Error>* errors);

}  // namespace torchleak::facts::stubs
