// From the numbering of a module to that of its interface. Only what other files can name goes
// along: functions and classes of the module level, methods, and what these refer to.
#include "flow/interface.h"

#include <utility>

#include "flow/rename.h"
#include "flow/world.h"

namespace torchleak::flow {
namespace {

using sema::BindingId;
using sema::ClassId;
using sema::FunctionId;
using sema::NameId;

class Exporter final : public Numbering {
 public:
  Exporter(const World& world, const text::Source& source)
      : world_(world),
        source_(source),
        module_(world.module()),
        out_(std::make_shared<Interface>()),
        names_(module_.name_count(), sema::kNoName),
        functions_(module_.function_count(), sema::kNoFunction),
        classes_(module_.class_count(), sema::kNoClass),
        globals_(module_.bindings().size(), sema::kNoBinding) {
    out_->path = std::make_shared<const std::string>(source.path());
  }

  InterfacePtr Run() {
    Number();
    for (std::uint32_t i = 0; i < module_.functions().size(); ++i) {
      if (functions_[i] != sema::kNoFunction) PutFunction(FunctionId{i});
    }
    for (std::uint32_t i = 0; i < module_.classes().size(); ++i) {
      if (classes_[i] != sema::kNoClass) PutClass(ClassId{i});
    }
    for (const World::AttributeValue& a : world_.Attributes()) {
      if (classes_[Index(a.cls)] == sema::kNoClass) continue;
      Value value = Plain(a.value);
      if (value.Is(Kind::kUnknown) || value.Is(Kind::kBottom))
        value = world_.FromEvidence(world_.AttributeEvidence(a.name), module_.Text(a.name));
      out_->classes[Index(classes_[Index(a.cls)])].attributes.push_back({Name(a.name), value});
    }
    out_->uses = UsesOf(world_);
    return std::move(out_);
  }

  NameId Name(NameId name) override {
    if (name == sema::kNoName) return name;
    NameId& known = names_[Index(name)];
    if (known == sema::kNoName) {
      known = NameId{static_cast<std::uint32_t>(out_->names.size())};
      out_->names.emplace_back(module_.Text(name));
    }
    return known;
  }
  FunctionId Function(FunctionId f) override {
    if (f == sema::kNoFunction || Index(f) >= functions_.size()) return sema::kNoFunction;
    FunctionId& known = functions_[Index(f)];
    if (known == sema::kNoFunction && module_.IsForeign(f)) {
      const auto& from = world_.links().functions[Index(f) - module_.functions().size()];
      known =
          FunctionId{own_functions_ + static_cast<std::uint32_t>(out_->foreign_functions.size())};
      out_->foreign_functions.emplace_back(from.file, from.index);
    }
    return known;
  }
  ClassId Class(ClassId c) override {
    if (c == sema::kNoClass || Index(c) >= classes_.size()) return sema::kNoClass;
    ClassId& known = classes_[Index(c)];
    if (known == sema::kNoClass && module_.IsForeign(c)) {
      const auto& from = world_.links().classes[Index(c) - module_.classes().size()];
      known = ClassId{own_classes_ + static_cast<std::uint32_t>(out_->foreign_classes.size())};
      out_->foreign_classes.emplace_back(from.file, from.index);
    }
    return known;
  }
  BindingId Global(BindingId b) override { return b == sema::kNoBinding ? b : globals_[Index(b)]; }
  PathPtr Path() override { return out_->path; }

 private:
  // The numbers of all that goes along, before anything refers to it.
  void Number() {
    for (std::uint32_t i = 0; i < module_.classes().size(); ++i) {
      if (module_[ClassId{i}].parent == FunctionId{0} && module_[ClassId{i}].name != sema::kNoName)
        classes_[i] = ClassId{own_classes_++};
    }
    for (std::uint32_t i = 1; i < module_.functions().size(); ++i) {
      const sema::Function& f = module_[FunctionId{i}];
      if (f.parent != FunctionId{0} || f.name == sema::kNoName) continue;
      if (f.class_id != sema::kNoClass && classes_[Index(f.class_id)] == sema::kNoClass) continue;
      functions_[i] = FunctionId{own_functions_++};
    }
    for (std::uint32_t i = 0; i < module_.bindings().size(); ++i) {
      const sema::Binding& b = module_[BindingId{i}];
      if (b.scope != sema::ScopeId{0} || !b.qualified.empty() || b.linked) continue;
      GlobalInterface global;
      global.name = Name(b.name);
      global.function = Function(b.function);
      global.class_id = Class(b.class_id);
      global.value = Plain(world_.Global(BindingId{i}));
      const auto index = static_cast<std::uint32_t>(out_->globals.size());
      globals_[i] = BindingId{index};
      out_->globals.push_back(global);
      out_->global_of.emplace(module_.Text(b.name), index);
    }
  }

  Value Plain(Value value) {
    value.origins.reset();
    value.objects = 0;
    if (value.Reached()) Rename(&value, *this);
    return value;
  }

  std::uint32_t RowOf(syntax::NodeId node) const {
    const syntax::NodeId name = module_.tree().Child(node, syntax::Field::kName);
    const text::Span span = module_.tree().Span(name == syntax::kNoNode ? node : name);
    return source_.RowOf(span.begin);
  }

  void PutFunction(FunctionId id) {
    const sema::Function& f = module_[id];
    FunctionInterface& out = out_->functions.emplace_back();
    out.head = f;
    out.own = id;
    out.head.node = out.head.body = syntax::kNoNode;
    out.head.name = Name(f.name);
    out.head.scope = sema::ScopeId{0};
    out.head.parent = sema::kNoFunction;
    out.head.class_id = Class(f.class_id);
    out.head.decorators.clear();
    for (sema::Param& p : out.head.params) {
      p.name = Name(p.name);
      p.binding = sema::kNoBinding;
      p.default_value = p.annotation = syntax::kNoNode;
    }
    out.row = RowOf(f.node);
    out.role = world_.role(id);
    out.decorated = world_.DecoratedMode(id);
    for (unsigned p = 0; p < f.params.size(); ++p)
      out.evidence.push_back(world_.ParameterEvidence(id, p));
    out.summary = world_.result(id).summary;
    Rename(&out.summary, *this);
  }

  void PutClass(ClassId id) {
    const sema::Class& c = module_[id];
    ClassInterface& out = out_->classes.emplace_back();
    out.head.node = syntax::kNoNode;
    out.head.name = Name(c.name);
    out.head.scope = sema::ScopeId{0};
    out.head.parent = sema::kNoFunction;
    out.head.bases.assign(c.bases.size(), syntax::kNoNode);
    for (const sema::Base& base : c.direct_bases) {
      std::string name = base.name;
      if (base.cls != sema::kNoClass) name = module_.Text(module_[base.cls].name);
      out.head.direct_bases.push_back({Class(base.cls), std::move(name)});
    }
    for (const auto& [name, method] : c.methods) {
      const FunctionId function = Function(method);
      if (function != sema::kNoFunction) out.head.methods.emplace_back(Name(name), function);
    }
    out.row = RowOf(c.node);
    out.frozen = world_.IsFrozenClass(id);
    out.weightless = world_.IsWeightless(id);
  }

  const World& world_;
  const text::Source& source_;
  const sema::Module& module_;
  std::shared_ptr<Interface> out_;
  std::vector<NameId> names_;
  std::vector<FunctionId> functions_;
  std::vector<ClassId> classes_;
  std::vector<BindingId> globals_;
  std::uint32_t own_functions_ = 0, own_classes_ = 0;
};

}  // namespace

bool Interface::operator==(const Interface& other) const {
  return *path == *other.path && names == other.names && functions == other.functions &&
         classes == other.classes && globals == other.globals &&
         foreign_functions == other.foreign_functions && foreign_classes == other.foreign_classes &&
         uses == other.uses;
}

InterfacePtr Export(const World& world, const text::Source& source) {
  return Exporter(world, source).Run();
}

}  // namespace torchleak::flow
