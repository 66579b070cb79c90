// Imports become bindings of declared functions, classes and globals. Only what the file names, and
// what that refers to, is declared.
#include "flow/link.h"

#include <map>

#include "flow/rename.h"

namespace torchleak::flow {
namespace {

using sema::BindingId;
using sema::ClassId;
using sema::FunctionId;
using sema::NameId;
using syntax::NodeId;

// What one file may draw in. A class brings its bases and methods.
constexpr std::size_t kMaxFunctions = 4000, kMaxClasses = 600;
constexpr int kMaxBaseDepth = 48;
// Names that may come from `*`, times the modules that they may come from.
constexpr std::size_t kMaxStarLookups = 400;

class Linker {
 public:
  Linker(sema::Module* module, const Surroundings& surroundings)
      : module_(*module), surroundings_(surroundings) {}

  Links Run() {
    Imports();
    if (!project_roots_.empty()) DottedNames();
    StarImports();
    Bases();
    // Summaries and attributes may name further classes and functions: the lists grow.
    for (std::size_t f = 0, c = 0; f < links_.functions.size() || c < links_.classes.size();) {
      if (f < links_.functions.size()) {
        FillFunction(f++);
      } else {
        FillClass(c++);
      }
    }
    module_.FinishBases();
    for (const GlobalUse& use : values_) FillGlobal(use);
    return std::move(links_);
  }

 private:
  using Key = std::pair<const Interface*, std::uint32_t>;
  struct GlobalUse {
    BindingId binding;
    InterfacePtr file;
    std::uint32_t index;
  };

  // From the numbering of one interface to that of the module.
  class FromInterface final : public Numbering {
   public:
    FromInterface(Linker& linker, InterfacePtr file, int depth)
        : linker_(linker), file_(std::move(file)), depth_(depth) {}
    NameId Name(NameId name) override {
      return name == sema::kNoName ? name : linker_.module_.AddName(file_->names[Index(name)]);
    }
    FunctionId Function(FunctionId f) override {
      if (f == sema::kNoFunction) return f;
      if (Index(f) < file_->functions.size())
        return linker_.Function(file_, Index(f), sema::kNoClass);
      const auto& [file, index] = file_->foreign_functions[Index(f) - file_->functions.size()];
      return linker_.Function(file, index, sema::kNoClass);
    }
    ClassId Class(ClassId c) override {
      if (c == sema::kNoClass) return c;
      if (Index(c) < file_->classes.size()) return linker_.Class(file_, Index(c), depth_ + 1);
      const auto& [file, index] = file_->foreign_classes[Index(c) - file_->classes.size()];
      return linker_.Class(file, index, depth_ + 1);
    }
    BindingId Global(BindingId g) override { return linker_.Global(file_, Index(g)); }
    PathPtr Path() override { return file_->path; }

   private:
    Linker& linker_;
    InterfacePtr file_;
    int depth_;
  };

  void Imports() {
    const auto n = static_cast<std::uint32_t>(module_.bindings().size());
    for (std::uint32_t i = 0; i < n; ++i) {
      const sema::Binding& b = module_[BindingId{i}];
      if (b.qualified.empty() || b.shadowed || IsFact(b.qualified)) continue;
      const Surroundings::Found found = surroundings_.Find(b.qualified);
      if (!found.in_project && !ImportsBelow(b.qualified)) continue;
      if (found.file == nullptr || !Means(BindingId{i}, found)) project_roots_.push_back(i);
    }
  }

  // `import tools.metrics.rmse` binds `tools`, which may be a folder of folders: no module itself.
  bool ImportsBelow(const std::string& qualified) const {
    for (const std::string& m : module_.imported_modules()) {
      if (m.size() > qualified.size() && m[qualified.size()] == '.' && m.starts_with(qualified) &&
          surroundings_.Find(m).in_project) {
        return true;
      }
    }
    return false;
  }

  // What the stubs know is known better than by analysis: a framework that is itself the project.
  static bool IsFact(const std::string& qualified) { return facts::Find(qualified) != nullptr; }

  // Binds the import to what the other file defines under that name.
  bool Means(BindingId binding, const Surroundings::Found& found) {
    const auto at = found.file->global_of.find(found.name);
    if (at == found.file->global_of.end()) return false;
    const GlobalInterface& global = found.file->globals[at->second];
    FunctionId function = sema::kNoFunction;
    ClassId cls = sema::kNoClass;
    if (global.function != sema::kNoFunction) {
      function = FromInterface(*this, found.file, 0).Function(global.function);
    } else if (global.class_id != sema::kNoClass) {
      cls = FromInterface(*this, found.file, 0).Class(global.class_id);
    } else {
      globals_.try_emplace(Key{found.file.get(), at->second}, binding);
      values_.push_back({binding, found.file, at->second});
    }
    module_.Link(binding, function, cls);
    return true;
  }

  // utils.train(…) after `import utils`.
  void DottedNames() {
    std::vector<bool> is_root(module_.bindings().size());
    for (const std::uint32_t i : project_roots_) is_root[i] = true;
    const syntax::Tree& tree = module_.tree();
    for (std::uint32_t i = 0; i < tree.size(); ++i) {
      const NodeId node{i};
      if (tree.kind(node) != syntax::Kind::kAttribute) continue;
      NodeId root = node;
      constexpr int kLongestName = 8;
      for (int d = 0; d < kLongestName && root != syntax::kNoNode &&
                      tree.kind(root) == syntax::Kind::kAttribute;
           ++d) {
        root = tree.Child(root, syntax::Field::kObject);
      }
      const BindingId b = root == syntax::kNoNode ? sema::kNoBinding : module_.BindingOf(root);
      if (b == sema::kNoBinding || !is_root[Index(b)]) continue;
      const BindingId named = Named(module_.QualifiedName(node));
      if (named != sema::kNoBinding) module_.LinkAt(node, named);
    }
  }

  // The binding that stands for a dotted name, made when first asked for.
  BindingId Named(const std::string& qualified) {
    if (qualified.empty() || IsFact(qualified)) return sema::kNoBinding;
    auto [it, fresh] = named_.try_emplace(qualified, sema::kNoBinding);
    if (!fresh) return it->second;
    const Surroundings::Found found = surroundings_.Find(qualified);
    if (found.file == nullptr || !found.file->global_of.contains(found.name)) return it->second;
    it->second = module_.DeclareBinding(module_.AddName(found.name));
    Means(it->second, found);
    return it->second;
  }

  // Names that nothing binds may come from `from utils import *`.
  void StarImports() {
    std::vector<std::string> modules;
    for (const std::string& m : module_.star_imports()) {
      if (surroundings_.Find(m).in_project) modules.push_back(m.back() == '.' ? m : m + '.');
    }
    if (modules.empty()) return;
    const syntax::Tree& tree = module_.tree();
    std::size_t lookups = 0;
    for (std::uint32_t i = 0; i < tree.size(); ++i) {
      const NodeId node{i};
      if (tree.kind(node) != syntax::Kind::kIdentifier || !module_.IsFree(node)) continue;
      for (const std::string& m : modules) {
        if (++lookups > kMaxStarLookups) return;
        const BindingId named = Named(m + std::string(tree.Text(node)));
        if (named == sema::kNoBinding) continue;
        module_.LinkAt(node, named);
        break;
      }
    }
  }

  void Bases() {
    bool any = false;
    for (std::uint32_t i = 0; i < module_.classes().size(); ++i) {
      const std::size_t n = module_[ClassId{i}].direct_bases.size();
      for (std::size_t b = 0; b < n; ++b) {
        const sema::Base& base = module_[ClassId{i}].direct_bases[b];
        if (base.cls != sema::kNoClass) continue;
        const ClassId cls = ClassNamed(base.name);
        if (cls == sema::kNoClass) continue;
        module_.LinkBase(ClassId{i}, b, cls);
        any = true;
      }
    }
    if (any) module_.FinishBases();
  }

  ClassId ClassNamed(const std::string& qualified) {
    if (IsFact(qualified)) return sema::kNoClass;
    const Surroundings::Found found = surroundings_.Find(qualified);
    if (found.file == nullptr) return sema::kNoClass;
    const auto at = found.file->global_of.find(found.name);
    if (at == found.file->global_of.end()) return sema::kNoClass;
    const ClassId cls = found.file->globals[at->second].class_id;
    return FromInterface(*this, found.file, 0).Class(cls);
  }

  FunctionId Function(const InterfacePtr& file, std::uint32_t index, ClassId owner) {
    auto [it, fresh] = functions_.try_emplace(Key{file.get(), index}, sema::kNoFunction);
    if (!fresh) return it->second;
    if (links_.functions.size() >= kMaxFunctions) return sema::kNoFunction;
    const FunctionInterface& in = file->functions[index];
    // A method comes with its class, so that `self` has one.
    if (in.head.class_id != sema::kNoClass && owner == sema::kNoClass) {
      functions_.erase(it);
      FromInterface(*this, file, 0).Class(in.head.class_id);
      const auto made = functions_.find(Key{file.get(), index});
      return made == functions_.end() ? sema::kNoFunction : made->second;
    }
    sema::Function f = in.head;
    FromInterface numbering(*this, file, 0);
    f.name = numbering.Name(f.name);
    f.class_id = owner;
    for (sema::Param& p : f.params) p.name = numbering.Name(p.name);
    it->second = module_.Declare(std::move(f));
    links_.functions.push_back({file, index});
    links_.summaries.emplace_back();
    return it->second;
  }

  ClassId Class(const InterfacePtr& file, std::uint32_t index, int depth) {
    auto [it, fresh] = classes_.try_emplace(Key{file.get(), index}, sema::kNoClass);
    if (!fresh) return it->second;
    if (links_.classes.size() >= kMaxClasses || depth > kMaxBaseDepth) return sema::kNoClass;
    const ClassInterface& in = file->classes[index];
    FromInterface numbering(*this, file, depth);
    sema::Class c = in.head;
    c.name = numbering.Name(c.name);
    c.methods.clear();
    for (sema::Base& base : c.direct_bases) base.cls = sema::kNoClass;
    const ClassId id = it->second = module_.Declare(std::move(c));
    links_.classes.push_back({file, index});
    links_.attributes.emplace_back();
    for (std::size_t b = 0; b < in.head.direct_bases.size(); ++b) {
      if (in.head.direct_bases[b].cls == sema::kNoClass) continue;
      module_.LinkBase(id, b, numbering.Class(in.head.direct_bases[b].cls));
    }
    for (const auto& [name, function] : in.head.methods) {
      const FunctionId method = Function(file, Index(function), id);
      if (method != sema::kNoFunction) module_.DeclareMethod(id, numbering.Name(name), method);
    }
    return id;
  }

  BindingId Global(const InterfacePtr& file, std::uint32_t index) {
    auto [it, fresh] = globals_.try_emplace(Key{file.get(), index}, sema::kNoBinding);
    if (fresh) {
      const NameId name = module_.AddName(file->names[Index(file->globals[index].name)]);
      it->second = module_.DeclareBinding(name);
    }
    return it->second;
  }

  void FillFunction(std::size_t i) {
    const Links::Foreign from = links_.functions[i];
    Summary summary = from.file->functions[from.index].summary;
    FromInterface numbering(*this, from.file, kMaxBaseDepth / 2);
    Rename(&summary, numbering);
    links_.summaries[i] = std::move(summary);
  }

  void FillClass(std::size_t i) {
    const Links::Foreign from = links_.classes[i];
    FromInterface numbering(*this, from.file, kMaxBaseDepth / 2);
    std::vector<AttributeInterface> attributes = from.file->classes[from.index].attributes;
    for (AttributeInterface& a : attributes) {
      a.name = numbering.Name(a.name);
      Rename(&a.value, numbering);
    }
    links_.attributes[i] = std::move(attributes);
  }

  void FillGlobal(const GlobalUse& use) {
    Value value = use.file->globals[use.index].value;
    FromInterface numbering(*this, use.file, kMaxBaseDepth);
    Rename(&value, numbering);
    links_.globals.emplace_back(use.binding, value);
  }

  sema::Module& module_;
  const Surroundings& surroundings_;
  Links links_;
  std::vector<std::uint32_t> project_roots_;  // import bindings that stand for a module
  std::unordered_map<std::string, BindingId> named_;
  std::map<Key, FunctionId> functions_;
  std::map<Key, ClassId> classes_;
  std::map<Key, BindingId> globals_;
  std::vector<GlobalUse> values_;
};

}  // namespace

Links Link(sema::Module* module, const Surroundings& surroundings) {
  return Linker(module, surroundings).Run();
}

}  // namespace torchleak::flow
