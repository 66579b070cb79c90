// Views: the parts of the common constructs by name, read from the table when asked for.
//
//   if (tree.kind(id) == Kind::kCall) {
//     CallView call{tree, id};
//     NodeId callee = call.function();
//
// A view does not check the kind of its node, and a part that is not there is kNoNode: it was not
// written, or the file has an error just there.
#pragma once

#include "syntax/tree.h"

namespace torchleak::syntax {

// What the views have in common; `id` is the node that a view is of.
struct View {
  const Tree& tree;
  NodeId id;

 protected:
  NodeId Part(Field field) const { return tree.Child(id, field); }
  bool IsAsync() const { return (tree[id].flags & kAsync) != 0; }
};

struct CallView : View {
  NodeId function() const { return Part(Field::kFunction); }
  // kArgumentList, or kGeneratorExpression for `f(x for x in y)`.
  NodeId arguments() const { return Part(Field::kArguments); }
};

struct KeywordArgumentView : View {
  NodeId name() const { return Part(Field::kName); }
  NodeId value() const { return Part(Field::kValue); }
};

struct AttributeView : View {
  NodeId object() const { return Part(Field::kObject); }
  NodeId attribute() const { return Part(Field::kAttribute); }
};

struct SubscriptView : View {
  NodeId value() const { return Part(Field::kValue); }
  // The first index; `a[i, j]` has more siblings with the same field.
  NodeId subscript() const { return Part(Field::kSubscript); }
};

// `left = right`, `left: type = right`, `left: type`; in `a = b = c` the right is an assignment.
struct AssignmentView : View {
  NodeId left() const { return Part(Field::kLeft); }
  NodeId type() const { return Part(Field::kType); }
  NodeId right() const { return Part(Field::kRight); }
};

struct AugmentedAssignmentView : View {
  NodeId left() const { return Part(Field::kLeft); }
  NodeId op() const { return Part(Field::kOperator); }  // kToken: `+=`
  NodeId right() const { return Part(Field::kRight); }
};

struct ForView : View {
  NodeId left() const { return Part(Field::kLeft); }
  NodeId right() const { return Part(Field::kRight); }
  NodeId body() const { return Part(Field::kBody); }
  NodeId alternative() const { return Part(Field::kAlternative); }  // kElseClause
  bool is_async() const { return IsAsync(); }
};

struct WhileView : View {
  NodeId condition() const { return Part(Field::kCondition); }
  NodeId body() const { return Part(Field::kBody); }
  NodeId alternative() const { return Part(Field::kAlternative); }  // kElseClause
};

struct IfView : View {
  NodeId condition() const { return Part(Field::kCondition); }
  NodeId consequence() const { return Part(Field::kConsequence); }
  // The first kElifClause or kElseClause; the others are siblings with the same field.
  NodeId alternative() const { return Part(Field::kAlternative); }
};

struct FunctionView : View {
  NodeId name() const { return Part(Field::kName); }
  NodeId parameters() const { return Part(Field::kParameters); }
  NodeId return_type() const { return Part(Field::kReturnType); }
  NodeId body() const { return Part(Field::kBody); }
  bool is_async() const { return IsAsync(); }
};

struct ClassView : View {
  NodeId name() const { return Part(Field::kName); }
  NodeId superclasses() const { return Part(Field::kSuperclasses); }  // kArgumentList
  NodeId body() const { return Part(Field::kBody); }
};

// `with value as target`, of a kWithItem. The grammar wraps both in an as_pattern.
struct WithItemView : View {
  NodeId value() const {
    const NodeId whole = Part(Field::kValue);
    return IsAs(whole) ? tree.FirstChild(whole) : whole;
  }
  NodeId target() const {
    const NodeId whole = Part(Field::kValue);
    if (!IsAs(whole)) return kNoNode;
    const NodeId alias = tree.Child(whole, Field::kAlias);  // kAsPatternTarget
    return alias == kNoNode ? kNoNode : tree.FirstChild(alias);
  }

 private:
  bool IsAs(NodeId whole) const { return whole != kNoNode && tree.kind(whole) == Kind::kAsPattern; }
};

}  // namespace torchleak::syntax
