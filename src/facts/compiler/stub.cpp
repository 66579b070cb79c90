// Walks the top level of the file, and the top level of each class body: two loops, no recursion.
// Annotations are kept as text, since the vocabulary is a chain of words: Detached[Scalar[Tensor]].
#include "facts/compiler/stub.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "syntax/tree.h"

namespace torchleak::facts::stubs {
namespace {

using syntax::Field;
using syntax::Kind;
using syntax::kNoNode;
using syntax::NodeId;

class Reader {
 public:
  Reader(const text::Source& source, std::vector<Error>* errors)
      : source_(source), tree_(syntax::Parse(source)), errors_(errors) {}

  Stub Read(std::string module) {
    for (text::Span span : tree_.errors()) Fail(span.begin, "this is not Python");
    stub_.path = source_.path();
    stub_.module = std::move(module);
    for (NodeId id : tree_.Children(tree_.root())) TopLevel(id);
    return std::move(stub_);
  }

 private:
  void Fail(std::uint32_t offset, std::string message) {
    errors_->push_back({source_.path(), source_.RowOf(offset), std::move(message)});
  }
  void Fail(NodeId id, std::string message) { Fail(tree_[id].begin, std::move(message)); }
  std::string Text(NodeId id) const {
    return id == kNoNode ? std::string() : std::string(tree_.Text(id));
  }
  std::uint32_t Line(NodeId id) const { return source_.RowOf(tree_[id].begin); }

  void TopLevel(NodeId id) {
    std::vector<Decorator> decorators;
    id = Undecorate(id, &decorators);
    switch (tree_.kind(id)) {
      case Kind::kFunctionDefinition:
        stub_.functions.push_back(ReadFunction(id, std::move(decorators)));
        break;
      case Kind::kClassDefinition:
        stub_.classes.push_back(ReadClass(id, std::move(decorators)));
        break;
      case Kind::kImportFromStatement:
        ReadImport(id, &stub_.imports);
        break;
      case Kind::kImportStatement:
        ReadModuleAlias(id);
        break;
      default:
        ReadSimple(id, &stub_.attributes);
    }
  }

  Class ReadClass(NodeId id, std::vector<Decorator> decorators) {
    Class cls;
    cls.name = Text(tree_.Child(id, Field::kName));
    cls.line = Line(id);
    cls.decorators = std::move(decorators);
    if (NodeId bases = tree_.Child(id, Field::kSuperclasses); bases != kNoNode)
      for (NodeId base : tree_.Children(bases)) cls.bases.push_back(Text(base));
    const NodeId body = tree_.Child(id, Field::kBody);
    if (body == kNoNode) return cls;
    for (NodeId member : tree_.Children(body)) {
      std::vector<Decorator> own;
      member = Undecorate(member, &own);
      if (tree_.kind(member) == Kind::kFunctionDefinition)
        cls.methods.push_back(ReadFunction(member, std::move(own)));
      else if (tree_.kind(member) == Kind::kImportFromStatement)
        ReadImport(member, &cls.templates);
      else
        ReadSimple(member, &cls.attributes);
    }
    return cls;
  }

  // The definition inside `@decorator def …`, or the node itself.
  NodeId Undecorate(NodeId id, std::vector<Decorator>* decorators) {
    if (tree_.kind(id) != Kind::kDecoratedDefinition) return id;
    for (NodeId child : tree_.Children(id))
      if (tree_.kind(child) == Kind::kDecorator) decorators->push_back(ReadDecorator(child));
    const NodeId definition = tree_.Child(id, Field::kDefinition);
    return definition == kNoNode ? id : definition;
  }

  Decorator ReadDecorator(NodeId id) {
    const NodeId expression = tree_.FirstChild(id);
    Decorator decorator{Text(expression), "", Line(id)};
    if (expression == kNoNode || tree_.kind(expression) != Kind::kCall) return decorator;
    decorator.name = Text(tree_.Child(expression, Field::kFunction));
    const NodeId arguments = tree_.Child(expression, Field::kArguments);
    const NodeId first = arguments == kNoNode ? kNoNode : tree_.FirstChild(arguments);
    if (first == kNoNode || tree_.kind(first) != Kind::kString ||
        tree_.NextSibling(first) != kNoNode) {
      Fail(id, fmt::format("@{} takes the name of one parameter, in quotes", decorator.name));
      return decorator;
    }
    const std::string quoted = Text(first);
    decorator.argument = quoted.substr(1, quoted.size() - 2);
    return decorator;
  }

  Function ReadFunction(NodeId id, std::vector<Decorator> decorators) {
    Function function;
    function.name = Text(tree_.Child(id, Field::kName));
    function.line = Line(id);
    function.decorators = std::move(decorators);
    function.returns = Text(tree_.Child(id, Field::kReturnType));
    bool positional = true;
    const NodeId parameters = tree_.Child(id, Field::kParameters);
    if (parameters == kNoNode) return function;
    for (NodeId child : tree_.Children(parameters)) {
      const Kind kind = tree_.kind(child);
      if (kind == Kind::kPositionalSeparator) continue;
      if (kind == Kind::kKeywordSeparator) {
        positional = false;
        continue;
      }
      std::string name = ParameterName(child);
      const auto stars = static_cast<std::size_t>(std::ranges::count(name, '*'));
      name.erase(0, stars);
      const NodeId type = tree_.Child(child, Field::kType);
      function.parameters.push_back({std::move(name), Text(type), positional && stars < 2});
      if (stars == 1) positional = false;
    }
    return function;
  }

  // With its stars: "input", "*tensors", "**options".
  std::string ParameterName(NodeId parameter) const {
    const NodeId name = tree_.Child(parameter, Field::kName);
    if (name != kNoNode) return Text(name);
    const bool typed = tree_.kind(parameter) == Kind::kTypedParameter;
    return Text(typed ? tree_.FirstChild(parameter) : parameter);
  }

  void ReadImport(NodeId id, std::vector<Import>* imports) {
    const std::string module = Text(tree_.Child(id, Field::kModuleName));
    if (module.starts_with('.')) Fail(id, "a stub imports by absolute names");
    for (NodeId child : tree_.Children(id)) {
      if (tree_.kind(child) == Kind::kWildcardImport) {
        imports->push_back({module, "*", "", true, Line(id)});
      } else if (tree_.kind(child) == Kind::kAliasedImport) {
        imports->push_back({module, Text(tree_.Child(child, Field::kName)),
                            Text(tree_.Child(child, Field::kAlias)), true, Line(id)});
      } else if (tree_[child].field == Field::kName) {
        imports->push_back({module, Text(child), Text(child), false, Line(id)});
      }
    }
  }

  // `import _plain as math`: the module math has the facts of the stub _plain.
  void ReadModuleAlias(NodeId id) {
    for (NodeId child : tree_.Children(id)) {
      if (tree_.kind(child) == Kind::kAliasedImport)
        stub_.imports.push_back({"", Text(tree_.Child(child, Field::kName)),
                                 Text(tree_.Child(child, Field::kAlias)), true, Line(id)});
      else
        Fail(child, "`import` without `as` does nothing in a stub");
    }
  }

  // `name: Word`, `pass`, `...` and docstrings.
  void ReadSimple(NodeId id, std::vector<Attribute>* attributes) {
    if (tree_.kind(id) == Kind::kPassStatement) return;
    NodeId inner = id;
    if (tree_.kind(id) == Kind::kExpressionStatement) inner = tree_.FirstChild(id);
    if (inner == kNoNode) return;
    const Kind kind = tree_.kind(inner);
    if (kind == Kind::kEllipsis || kind == Kind::kString) return;
    const NodeId type = kind == Kind::kAssignment ? tree_.Child(inner, Field::kType) : kNoNode;
    if (type == kNoNode) {
      Fail(id, "a stub holds functions, classes, `name: Word` and `from … import …` only");
      return;
    }
    attributes->push_back({Text(tree_.Child(inner, Field::kLeft)), Text(type), Line(id)});
  }

  const text::Source& source_;
  syntax::Tree tree_;
  std::vector<Error>* errors_;
  Stub stub_;
};

}  // namespace

std::string Format(const Error& error) {
  return fmt::format("{}:{}: {}", error.path, error.line, error.message);
}

std::string ModuleOf(std::string_view relative_path) {
  std::string module(relative_path);
  if (module.ends_with(".pyi")) module.resize(module.size() - 4);
  std::ranges::replace(module, '/', '.');
  constexpr std::string_view kPackage = "__init__";
  if (module == kPackage) return "";
  if (module.ends_with(".__init__")) module.resize(module.size() - kPackage.size() - 1);
  return module;
}

Stub ReadStub(std::string module, const text::Source& source, std::vector<Error>* errors) {
  return Reader(source, errors).Read(std::move(module));
}

}  // namespace torchleak::facts::stubs
