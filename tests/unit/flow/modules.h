// Python files that see each other, without disk and index: each is added after those it imports.
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "flow/events.h"
#include "flow/interface.h"
#include "flow/joined_calls.h"
#include "flow/link.h"
#include "flow/world.h"
#include "sema/module.h"
#include "syntax/tree.h"
#include "text/source.h"

namespace torchleak::flow {

// One analysed file.
struct PyFile {
  PyFile(std::string path, std::string code, const Surroundings& others)
      : source(*text::Source::FromBytes(std::move(path), std::move(code))),
        tree(syntax::Parse(source)),
        module(sema::Analyze(tree)) {
    AnalyzeOptions options;
    options.links = Link(&module, others);
    events = Analyze(module, std::move(options));
    interface = Export(*events.world, source);
  }

  const World& world() const { return *events.world; }
  const Links& links() const { return world().links(); }

  sema::FunctionId Function(std::string_view name) const {
    for (std::uint32_t i = 0; i < module.functions().size(); ++i)
      if (module.DisplayName(sema::FunctionId{i}) == name) return sema::FunctionId{i};
    FAIL("no function ", name);
    return sema::kNoFunction;
  }
  sema::ClassId Class(std::string_view name) const {
    for (std::uint32_t i = 0; i < module.classes().size(); ++i)
      if (module.Text(module.classes()[i].name) == name) return sema::ClassId{i};
    FAIL("no class ", name);
    return sema::kNoClass;
  }
  // The module-level variable of this name.
  const sema::Binding& Global(std::string_view name) const {
    for (const sema::Binding& b : module.bindings())
      if (b.scope == sema::ScopeId{0} && module.Text(b.name) == name) return b;
    FAIL("no variable ", name);
    return module.bindings()[0];
  }

  text::Source source;
  syntax::Tree tree;
  sema::Module module;
  FileEvents events;
  InterfacePtr interface;
};

class Modules final : public Surroundings {
 public:
  const PyFile& Add(const std::string& name, std::string code) {
    auto file = std::make_unique<PyFile>(name + ".py", std::move(code), *this);
    return *(files_[name] = std::move(file));
  }
  // A module of the project of which nothing is known, as in a circle of imports.
  void AddUnknown(const std::string& name) { files_[name] = nullptr; }

  Found Find(std::string_view qualified) const override {
    Found found;
    std::string module(qualified);
    while (!files_.contains(module)) {
      const std::size_t dot = module.rfind('.');
      if (dot == std::string::npos) return found;
      module.resize(dot);
    }
    found.in_project = true;
    const auto& file = files_.at(module);
    if (file != nullptr) found.file = file->interface;
    if (qualified.size() > module.size()) found.name = qualified.substr(module.size() + 1);
    return found;
  }

 private:
  std::map<std::string, std::unique_ptr<PyFile>> files_;
};

}  // namespace torchleak::flow
