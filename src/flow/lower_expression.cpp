// Expressions in postorder: a node is pushed, then its operands, and combined when it comes up
// again. Conditional evaluation (and, or, a if b else c) is not split into blocks: the result is
// one of the operands. Comprehensions are loops, since what they keep is kept iteration after
// iteration.
#include <algorithm>
#include <array>
#include <string>

#include "flow/lowering.h"

namespace torchleak::flow {

using syntax::Field;
using syntax::Kind;
using syntax::kNoNode;

bool Lowering::RootIsImport(NodeId node) const {
  constexpr int kLongestName = 32;  // it is asked at each link of a chain
  for (int i = 0; tree_.kind(node) == Kind::kAttribute; ++i) {
    if (i == kLongestName) return false;
    node = tree_.Child(node, Field::kObject);
    if (node == kNoNode) return false;
  }
  if (tree_.kind(node) != Kind::kIdentifier) return false;
  sema::BindingId b = module_.BindingOf(node);
  return b == sema::kNoBinding || !module_[b].qualified.empty();
}

bool Lowering::IsLinked(NodeId node) const {
  while (tree_.kind(node) == Kind::kAttribute) {
    if (module_.LinkedAt(node) != sema::kNoBinding) return true;
    node = tree_.Child(node, Field::kObject);
    if (node == kNoNode) return false;
  }
  if (tree_.kind(node) != Kind::kIdentifier) return false;
  const sema::BindingId b = module_.BindingOf(node);
  return b == sema::kNoBinding ? module_.LinkedAt(node) != sema::kNoBinding : module_[b].linked;
}

ValueId Lowering::Expression(NodeId root) {
  const std::size_t bottom = stack_.size();
  stack_.push_back({root, false});
  while (stack_.size() > bottom) {
    Frame& frame = stack_.back();
    NodeId node = frame.node;
    ValueId value;
    if (frame.entered) {
      stack_.pop_back();
      Set(node, Combine(node));
    } else if (Leaf(node, &value)) {
      stack_.pop_back();
      Set(node, value);
    } else {
      frame.entered = true;
      PushChildren(node);
    }
  }
  return Of(root);
}

bool Lowering::Leaf(NodeId node, ValueId* out) {
  switch (tree_.kind(node)) {
    case Kind::kIdentifier: {
      SlotId slot = SlotOfPath(node);
      *out = slot == kNoSlot ? Emit(Op::kUnknown, node) : Emit(Op::kLoad, node, {}, Index(slot));
      return true;
    }
    case Kind::kInteger:
    case Kind::kFloat:
      *out = Emit(Op::kNumber, node);
      return true;
    case Kind::kTrue:
      *out = Emit(Op::kTrue, node);
      return true;
    case Kind::kFalse:
      *out = Emit(Op::kFalse, node);
      return true;
    case Kind::kNone:
      *out = Emit(Op::kNone, node);
      return true;
    case Kind::kEllipsis:
    case Kind::kError:
    case Kind::kToken:
    case Kind::kKeywordSeparator:
    case Kind::kPositionalSeparator:
      *out = Emit(Op::kUnknown, node);
      return true;
    case Kind::kAttribute: {
      if (RootIsImport(node) && !IsLinked(node)) {
        *out = Emit(Op::kUnknown, node);
        return true;
      }
      SlotId slot = SlotOfPath(node);
      if (slot == kNoSlot) return false;
      *out = Emit(Op::kLoad, node, {}, Index(slot));
      return true;
    }
    case Kind::kLambda: {
      sema::FunctionId f = module_.FunctionOf(node);
      *out = f == sema::kNoFunction ? Emit(Op::kUnknown, node)
                                    : Emit(Op::kFunction, node, {}, Index(f));
      return true;
    }
    case Kind::kListComprehension:
    case Kind::kSetComprehension:
    case Kind::kDictionaryComprehension:
    case Kind::kGeneratorExpression:
      *out = Comprehension(node);
      return true;
    default:
      return false;
  }
}

void Lowering::PushChildren(NodeId node) {
  const std::size_t first = stack_.size();
  auto push = [&](NodeId child) {
    Kind k = tree_.kind(child);
    if (k == Kind::kToken || k == Kind::kStringStart || k == Kind::kStringContent ||
        k == Kind::kStringEnd || k == Kind::kType || k == Kind::kTypeConversion ||
        k == Kind::kFormatSpecifier) {
      return;
    }
    stack_.push_back({child, false});
  };
  switch (tree_.kind(node)) {
    case Kind::kCall: {
      NodeId function = tree_.Child(node, Field::kFunction),
             arguments = tree_.Child(node, Field::kArguments);
      if (function != kNoNode && (!RootIsImport(function) || IsLinked(function))) {
        if (tree_.kind(function) == Kind::kAttribute &&
            module_.LinkedAt(function) == sema::kNoBinding) {
          // receiver first, then the path itself when it is one (self.model is both)
          push(tree_.Child(function, Field::kObject));
          if (SlotOfPath(function) != kNoSlot) push(function);
        } else {
          push(function);
        }
      }
      if (arguments != kNoNode) {
        if (tree_.kind(arguments) == Kind::kArgumentList) {
          for (NodeId a : tree_.Children(arguments)) push(a);
        } else {
          push(arguments);  // f(x for x in xs)
        }
      }
      break;
    }
    case Kind::kAttribute:
      push(tree_.Child(node, Field::kObject));
      break;
    case Kind::kKeywordArgument:
      push(tree_.Child(node, Field::kValue));
      break;
    case Kind::kNamedExpression:
      push(tree_.Child(node, Field::kValue));
      break;
    default:
      for (NodeId child : tree_.Children(node)) push(child);
  }
  // The one pushed last is lowered first: turn the order around.
  for (std::size_t i = first, j = stack_.size(); i + 1 < j; ++i) {
    --j;
    std::swap(stack_[i], stack_[j]);
  }
  for (std::size_t i = first; i < stack_.size();) {
    if (stack_[i].node == kNoNode) {
      stack_.erase(stack_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

ValueId Lowering::Combine(NodeId node) {
  std::vector<ValueId> parts;
  auto collect = [&] {
    for (NodeId c : tree_.Children(node)) {
      if (Of(c) != kNoValue) parts.push_back(Of(c));
    }
  };
  switch (tree_.kind(node)) {
    case Kind::kCall:
      return CallOf(node);
    case Kind::kAttribute: {
      NodeId name = tree_.Child(node, Field::kAttribute),
             object = tree_.Child(node, Field::kObject);
      if (name == kNoNode || module_.NameOf(name) == sema::kNoName || Of(object) == kNoValue) {
        return Emit(Op::kUnknown, node);
      }
      return Emit(Op::kGetAttr, node, {Of(object)}, Index(module_.NameOf(name)));
    }
    case Kind::kSubscript: {
      NodeId base = tree_.Child(node, Field::kValue), index = tree_.Child(node, Field::kSubscript);
      if (base == kNoNode || index == kNoNode || Of(index) == kNoValue)
        return Emit(Op::kUnknown, node);
      // aux8: a slice keeps the kind of what it cuts
      bool slice = tree_.kind(index) == Kind::kSlice;
      return Emit(Op::kGetItem, node, {Of(base), Of(index)}, KeyOf(tree_.Text(index)),
                  slice ? 1 : 0);
    }
    case Kind::kBinaryOperator: {
      NodeId left = tree_.Child(node, Field::kLeft), right = tree_.Child(node, Field::kRight);
      NodeId op = tree_.Child(node, Field::kOperator);
      if (left == kNoNode || right == kNoNode) return Emit(Op::kUnknown, node);
      std::string_view t = op == kNoNode ? "" : tree_.Text(op);
      auto kind = t == "+" || t == "-" ? BinaryOp::kAddSub
                  : t == "*"           ? BinaryOp::kMul
                  : t == "/"           ? BinaryOp::kDiv
                                       : BinaryOp::kOther;
      return Emit(Op::kBinary, node, {Of(left), Of(right)}, 0, static_cast<std::uint8_t>(kind));
    }
    case Kind::kUnaryOperator:
    case Kind::kAwait:
    case Kind::kParenthesizedExpression:
      collect();
      if (parts.empty()) return Emit(Op::kUnknown, node);
      if (tree_.kind(node) == Kind::kParenthesizedExpression) return parts.back();
      return Emit(Op::kUnary, node, {parts[0]});
    case Kind::kNotOperator:
    case Kind::kComparisonOperator:
      collect();
      return EmitMany(Op::kCompare, node, parts);
    case Kind::kBooleanOperator:
      collect();
      return EmitMany(Op::kSelect, node, parts);
    case Kind::kConditionalExpression:
      collect();
      if (parts.size() == 3) {  // value, condition, alternative
        std::vector<NodeId> nodes;
        for (NodeId c : tree_.Children(node)) nodes.push_back(c);
        NodeId tested = nodes.size() == 3 ? TestedTensor(nodes[1]) : kNoNode;
        const bool narrowed = tested != kNoNode && tree_.Text(tested) == tree_.Text(nodes[2]);
        parts.erase(parts.begin() + 1, narrowed ? parts.end() : parts.begin() + 2);
      }
      return EmitMany(Op::kSelect, node, parts);
    case Kind::kTuple:
    case Kind::kExpressionList:
    case Kind::kPatternList:
    case Kind::kTuplePattern:
      collect();
      return EmitMany(Op::kTuple, node, parts);
    case Kind::kList:
    case Kind::kListPattern:
      collect();
      return EmitMany(Op::kList, node, parts);
    case Kind::kSet:
      collect();
      return EmitMany(Op::kSet, node, parts);
    case Kind::kDictionary:
      return DictOf(node);
    case Kind::kString:
    case Kind::kConcatenatedString:
      collect();
      return parts.empty() ? Emit(Op::kString, node) : EmitMany(Op::kFormat, node, parts);
    case Kind::kKeywordArgument: {
      NodeId value = tree_.Child(node, Field::kValue);
      return value == kNoNode ? Emit(Op::kUnknown, node) : Of(value);
    }
    case Kind::kNamedExpression: {
      NodeId name = tree_.Child(node, Field::kName), value = tree_.Child(node, Field::kValue);
      if (name == kNoNode || value == kNoNode) return Emit(Op::kUnknown, node);
      SlotId slot = SlotOfPath(name);
      if (slot != kNoSlot) Emit(Op::kStore, node, {Of(value)}, Index(slot));
      return Of(value);
    }
    case Kind::kYield: {
      collect();
      body_.has_yield = true;
      ValueId v = parts.empty() ? Emit(Op::kNone, node) : parts[0];
      return Emit(Op::kYield, node, {v});
    }
    default:
      collect();
      if (parts.size() == 1) return parts[0];  // splats, slices, interpolations and their like
      return EmitMany(Op::kFormat, node, parts);
  }
}

ValueId Lowering::DictOf(NodeId node) {
  std::vector<ValueId> parts;
  auto first_key = static_cast<std::uint32_t>(body_.keys.size());
  for (NodeId c : tree_.Children(node)) {
    if (tree_.kind(c) == Kind::kPair) {
      NodeId key = tree_.Child(c, Field::kKey), value = tree_.Child(c, Field::kValue);
      if (key == kNoNode || value == kNoNode || Of(value) == kNoValue) continue;
      parts.push_back(Of(value));
      body_.keys.push_back(KeyOf(tree_.Text(key)));
    } else if (Of(c) != kNoValue) {  // **other
      parts.push_back(Of(c));
      body_.keys.push_back(kNoKey);
    }
  }
  return EmitMany(Op::kDict, node, parts, first_key);
}

ValueId Lowering::CallOf(NodeId node) {
  Call call;
  call.node = node;
  NodeId function = tree_.Child(node, Field::kFunction),
         arguments = tree_.Child(node, Field::kArguments);
  if (function == kNoNode) return Emit(Op::kUnknown, node);
  const bool is_attribute = tree_.kind(function) == Kind::kAttribute;
  if (is_attribute) {
    NodeId name = tree_.Child(function, Field::kAttribute);
    if (name != kNoNode) call.method = module_.NameOf(name);
  }
  const bool import = RootIsImport(function);
  if (import) {
    std::string qualified = module_.QualifiedName(function);
    if (!qualified.empty()) call.fact = facts::Find(qualified);
    call.qualified = !qualified.empty() && (call.fact != nullptr || !IsLinked(function));
    call.of_torch = call.qualified && qualified.starts_with("torch.");
    call.of_numpy =
        call.qualified && (qualified.starts_with("numpy.") || qualified == "torch.from_numpy");
  }
  const bool known_here = !import || (!call.qualified && IsLinked(function));
  if (known_here && is_attribute && module_.LinkedAt(function) == sema::kNoBinding) {
    NodeId object = tree_.Child(function, Field::kObject);
    call.receiver = Of(object);
    call.receiver_slot = SlotOfPath(object);
    call.callee = Of(function);
    if (call.callee != kNoValue) call.callee_slot = SlotOfPath(function);
    if (tree_.kind(object) == Kind::kCall) {
      NodeId inner = tree_.Child(object, Field::kFunction);
      call.is_super = inner != kNoNode && tree_.Text(inner) == "super";
    }
  } else if (known_here) {
    if (import) call.method = sema::kNoName;
    call.callee = Of(function);
    call.callee_slot = SlotOfPath(function);
  }
  call.args = static_cast<std::uint32_t>(body_.arguments.size());
  if (arguments != kNoNode) {
    auto add = [&](NodeId a) {
      if (Of(a) == kNoValue) return;
      Argument arg{Of(a), sema::kNoName, 0};
      if (tree_.kind(a) == Kind::kKeywordArgument) {
        NodeId name = tree_.Child(a, Field::kName);
        if (name != kNoNode) arg.keyword = module_.NameOf(name);
      }
      if (tree_.kind(a) == Kind::kListSplat) arg.stars = 1;
      if (tree_.kind(a) == Kind::kDictionarySplat) arg.stars = 2;
      body_.arguments.push_back(arg);
    };
    if (tree_.kind(arguments) == Kind::kArgumentList) {
      for (NodeId a : tree_.Children(arguments)) add(a);
    } else {
      add(arguments);
    }
  }
  call.argc = static_cast<std::uint32_t>(body_.arguments.size()) - call.args;
  body_.calls.push_back(call);
  return Emit(Op::kCall, node, {}, static_cast<std::uint32_t>(body_.calls.size() - 1));
}

namespace {

// sum(f(x) for x in xs): what is asked for all elements at once, and keeps them, graphs and all.
bool KeepsElements(std::string_view callee) {
  static constexpr std::array<std::string_view, 5> kNames{"sum", "list", "tuple", "sorted",
                                                          "deque"};
  return std::find(kNames.begin(), kNames.end(), callee) != kNames.end();
}

}  // namespace

ValueId Lowering::Comprehension(NodeId node) {
  bool generator = tree_.kind(node) == Kind::kGeneratorExpression;
  for (NodeId up = tree_.Parent(node); generator && up != kNoNode; up = tree_.Parent(up)) {
    if (tree_.kind(up) == Kind::kArgumentList) continue;
    generator = tree_.kind(up) != Kind::kCall ||
                !KeepsElements(tree_.Text(tree_.Child(up, Field::kFunction)));
    break;
  }
  ValueId container = Emit(Op::kList, node, {}, 0, generator ? 1 : 0);
  if (nesting_ >= kMaxNesting) return container;
  nesting_ += 4;
  const LoopId outer_loop = loop_;
  const std::uint32_t outer_guard = guard_;
  BlockId after = NewBlock();
  BlockId innermost = after;
  for (NodeId clause : tree_.Children(node)) {
    if (tree_.kind(clause) == Kind::kForInClause) {
      NodeId left = tree_.Child(clause, Field::kLeft), right = tree_.Child(clause, Field::kRight);
      if (left == kNoNode || right == kNoNode) continue;
      ValueId source = Expression(right);
      LoopId loop = NewLoop(node, right, true, false);
      BlockId head = NewBlock(), inside = NewBlock();
      Edge(head);
      loop_ = loop;
      guard_ = kNoKey;
      Start(head);
      body_.blocks[Index(head)].is_loop_head = true;
      ValueId element = Emit(Op::kIterate, left, {source});
      Assign(left, element, clause, static_cast<std::uint32_t>(body_.instrs.size()));
      Edge(innermost);
      Edge(inside);
      innermost = head;
      Start(inside);
    } else if (tree_.kind(clause) == Kind::kIfClause) {
      NodeId test = tree_.FirstChild(clause);
      if (test != kNoNode) Expression(test);
      BlockId inside = NewBlock();
      Edge(innermost);
      Edge(inside);
      Start(inside);
    }
  }
  NodeId body = tree_.Child(node, Field::kBody);
  if (body != kNoNode) {
    NodeId kept = body;
    if (tree_.kind(body) == Kind::kPair) {
      kept = tree_.Child(body, Field::kValue);
      NodeId key = tree_.Child(body, Field::kKey);
      if (key != kNoNode) Expression(key);
    }
    if (kept != kNoNode)
      Emit(Op::kAppend, kept, {container, Expression(kept)}, 0, generator ? 1 : 0);
  }
  Edge(innermost);
  loop_ = outer_loop;
  guard_ = outer_guard;
  Start(after);
  nesting_ -= 4;
  return container;
}

}  // namespace torchleak::flow
