// What needs all names resolved: builtins, decorators, base classes.
#include "sema/builder.h"

#include <algorithm>
#include <unordered_map>

namespace torchleak::sema {

using syntax::Field;
using syntax::Kind;
using syntax::kNoNode;

namespace {

// One space after each.
constexpr std::string_view kBuiltins =
    "ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup "
    "BlockingIOError BrokenPipeError BufferError BytesWarning ChildProcessError "
    "ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError "
    "DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception "
    "ExceptionGroup FileExistsError FileNotFoundError FloatingPointError FutureWarning "
    "GeneratorExit IOError ImportError ImportWarning IndentationError IndexError "
    "InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError "
    "ModuleNotFoundError NameError NotADirectoryError NotImplemented NotImplementedError "
    "OSError OverflowError PendingDeprecationWarning PermissionError ProcessLookupError "
    "RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning "
    "StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError "
    "TimeoutError TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError "
    "UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning "
    "ZeroDivisionError __build_class__ __debug__ __import__ abs aiter all anext any ascii bin "
    "bool breakpoint bytearray bytes callable chr classmethod compile complex copyright credits "
    "delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr "
    "globals hasattr hash help hex id input int isinstance issubclass iter len license list "
    "locals map max memoryview min next object oct open ord pow print property quit range repr "
    "reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip ";

constexpr int kMaxAliases = 16;

}  // namespace

void ModuleBuilder::MarkBuiltins() {
  m_.is_builtin_.assign(m_.names_.size(), 0);
  for (std::size_t begin = 0, end = 0; begin < kBuiltins.size(); begin = end + 1) {
    end = kBuiltins.find(' ', begin);
    const std::uint32_t name = m_.names_.Find(kBuiltins.substr(begin, end - begin));
    if (name != NameTable::kNone) m_.is_builtin_[name] = 1;
  }
}

void ModuleBuilder::ReadDecorators() {
  for (Function& f : m_.functions_) {
    for (const NodeId decorator : f.decorators) {
      std::string_view last;
      if (tree_.kind(decorator) == Kind::kIdentifier) {
        const BindingId binding = m_.BindingOf(decorator);
        const bool own = binding != kNoBinding && m_[binding].qualified.empty();
        if (!own) last = tree_.Text(decorator);
      } else if (tree_.kind(decorator) == Kind::kAttribute) {
        const NodeId attribute = tree_.Child(decorator, Field::kAttribute);
        if (attribute != kNoNode) last = tree_.Text(attribute);
      }
      if (last == "staticmethod" || last == "abstractstaticmethod") f.is_static = true;
      if (last == "classmethod" || last == "abstractclassmethod") f.is_classmethod = true;
      const bool accessor = tree_.kind(decorator) == Kind::kAttribute &&
                            (last == "setter" || last == "getter" || last == "deleter");
      if (accessor || last == "property" || last == "cached_property" ||
          last == "abstractproperty") {
        f.is_property = true;
      }
    }
  }
}

void ModuleBuilder::LinkClasses() {
  earlier_class_.resize(m_.classes_.size(), kNoClass);
  for (std::uint32_t i = 0; i < m_.classes_.size(); ++i) {
    for (const NodeId base : m_.classes_[i].bases) ResolveBase(ClassId{i}, base);
  }
  m_.FinishBases();
}

void ModuleBuilder::ResolveBase(ClassId cls, NodeId base) {
  Class& c = m_.classes_[Index(cls)];
  for (int i = 0; i < kMaxAliases && base != kNoNode; ++i) {
    const Kind kind = tree_.kind(base);
    if (kind == Kind::kSubscript) {  // Base[T]
      base = tree_.Child(base, Field::kValue);
      continue;
    }
    if (kind == Kind::kParenthesizedExpression) {
      base = tree_.FirstChild(base);
      continue;
    }
    const BindingId id = m_.BindingOf(base);
    if (kind != Kind::kIdentifier || id == kNoBinding) {
      std::string name = m_.QualifiedName(base);
      if (!name.empty()) c.direct_bases.push_back({kNoClass, std::move(name)});
      return;
    }
    const Binding& b = m_[id];
    const NodeId own_name = tree_.Child(c.node, Field::kName);
    const bool own = own_name != kNoNode && m_.BindingOf(own_name) == id;
    if (!b.qualified.empty()) {
      if (own || !b.shadowed) c.direct_bases.push_back({kNoClass, b.qualified});
      return;
    }
    // `class A(A)`: the base is what the name meant before.
    const ClassId found = own ? earlier_class_[Index(cls)] : b.class_id;
    if (found != kNoClass) c.direct_bases.push_back({found, {}});
    if (own || found != kNoClass) return;
    base = b.sole_value;  // Base = nn.Module
  }
}

}  // namespace torchleak::sema
