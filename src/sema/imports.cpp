// Imports: the names they bind and the qualified names these stand for.
#include "sema/builder.h"

#include <algorithm>

namespace torchleak::sema {

using syntax::Field;
using syntax::Kind;
using syntax::kNoNode;

// Joins the parts; they may have white space between them.
std::string ModuleBuilder::Dotted(NodeId dotted_name) {
  std::string text;
  for (const NodeId part : tree_.Children(dotted_name)) {
    if (tree_.kind(part) != Kind::kIdentifier) continue;
    Intern(part);
    if (!text.empty()) text += '.';
    text += tree_.Text(part);
  }
  return text;
}

void ModuleBuilder::AddModule(std::string module) {
  if (module.empty() || !modules_seen_.insert(module).second) return;
  m_.imported_modules_.push_back(std::move(module));
}

// A later import on the same path replaces an earlier one; of alternatives the first stands.
void ModuleBuilder::BindImport(NodeId identifier, std::string qualified) {
  const BindingId id = Bind(identifier, current_, Bound::kImport);
  if (id == kNoBinding || qualified.empty()) return;
  Binding& b = m_.bindings_[Index(id)];
  if (b.assignments == 1 && !b.is_param) {
    b.qualified = std::move(qualified);
    return;
  }
  if (b.scope == current_ && IsUnconditional(identifier)) {
    b.qualified = std::move(qualified);
    b.shadowed = false;
  } else if (b.qualified.empty()) {
    const unsigned harmless = (1U << static_cast<unsigned>(Bound::kNone)) |
                              (1U << static_cast<unsigned>(Bound::kImport)) |
                              (1U << static_cast<unsigned>(Bound::kDef)) |
                              (1U << static_cast<unsigned>(Bound::kClass));
    b.qualified = std::move(qualified);
    b.shadowed = (seen_[Index(id)] & ~harmless) != 0;
  }
}

// `import a.b` binds a; `import a.b as c` binds c to a.b.
void ModuleBuilder::Import(NodeId statement) {
  for (const NodeId child : tree_.Children(statement)) {
    if (tree_.kind(child) == Kind::kAliasedImport) {
      const NodeId name = tree_.Child(child, Field::kName);
      const NodeId alias = tree_.Child(child, Field::kAlias);
      if (name == kNoNode || alias == kNoNode) continue;
      const std::string module = Dotted(name);
      BindImport(alias, module);
      AddModule(module);
    } else if (tree_.kind(child) == Kind::kDottedName) {
      AddModule(Dotted(child));
      const NodeId first = tree_.FirstChild(child);
      if (first != kNoNode && tree_.kind(first) == Kind::kIdentifier) {
        BindImport(first, std::string(tree_.Text(first)));
      }
    }
  }
}

void ModuleBuilder::ImportFrom(NodeId statement) {
  const NodeId source = tree_.Child(statement, Field::kModuleName);
  if (source == kNoNode) return;
  std::string module;
  if (tree_.kind(source) == Kind::kRelativeImport) {
    for (const NodeId part : tree_.Children(source)) {
      if (tree_.kind(part) == Kind::kDottedName) {
        module += Dotted(part);
      } else {
        const std::string_view text = tree_.Text(part);
        module.append(static_cast<std::size_t>(std::count(text.begin(), text.end(), '.')), '.');
      }
    }
  } else {
    module = Dotted(source);
  }
  AddModule(module);
  if (module.empty()) return;
  const std::string prefix = module.back() == '.' ? module : module + '.';
  for (const NodeId child : tree_.Children(statement)) {
    if (tree_.kind(child) == Kind::kWildcardImport) m_.star_imports_.push_back(module);
    if (tree_[child].field == Field::kName) ImportName(child, prefix);
  }
}

void ModuleBuilder::FutureImport(NodeId statement) {
  AddModule("__future__");
  for (const NodeId child : tree_.Children(statement)) {
    if (tree_[child].field == Field::kName) ImportName(child, "__future__.");
  }
}

void ModuleBuilder::ImportName(NodeId name, const std::string& prefix) {
  NodeId source = name, bound = kNoNode;
  if (tree_.kind(name) == Kind::kAliasedImport) {
    source = tree_.Child(name, Field::kName);
    bound = tree_.Child(name, Field::kAlias);
  } else if (tree_.kind(name) == Kind::kDottedName) {
    bound = tree_.FirstChild(name);
  }
  if (source == kNoNode || bound == kNoNode) return;
  const std::string text = Dotted(source);
  if (tree_.kind(bound) == Kind::kIdentifier) BindImport(bound, prefix + text);
}

}  // namespace torchleak::sema
