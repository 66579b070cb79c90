// Statements to blocks and edges. An early exit leaves the `with` blocks it jumps out of and passes
// through the `finally` blocks on its way; an exception may leave from any block of a `try` body.
#include <algorithm>

#include "flow/lowering.h"

namespace torchleak::flow {

using syntax::Field;
using syntax::Kind;
using syntax::kNoNode;

void Lowering::Statements(NodeId block) {
  if (block == kNoNode) return;
  if (nesting_ >= kMaxNesting) {
    Emit(Op::kUnknown, block);
    return;
  }
  ++nesting_;
  for (NodeId child : tree_.Children(block)) Statement(child);
  --nesting_;
}

void Lowering::Statement(NodeId node) {
  switch (tree_.kind(node)) {
    case Kind::kExpressionStatement:
      for (NodeId child : tree_.Children(node)) Statement(child);
      return;
    case Kind::kAssignment:
      return Assignment(node);
    case Kind::kAugmentedAssignment:
      return Augmented(node);
    case Kind::kIfStatement:
      return If(node);
    case Kind::kForStatement:
      return For(node);
    case Kind::kWhileStatement:
      return While(node);
    case Kind::kWithStatement:
      return With(node);
    case Kind::kTryStatement:
      return Try(node);
    case Kind::kMatchStatement:
      return Match(node);
    case Kind::kFunctionDefinition:
    case Kind::kDecoratedDefinition:
      return Definition(node);
    case Kind::kClassDefinition:
      return ClassStatement(node);
    case Kind::kReturnStatement:
      return Return(node);
    case Kind::kDeleteStatement:
      return Delete(node);
    case Kind::kBreakStatement:
    case Kind::kContinueStatement:
      if (!loop_stack_.empty()) {
        const LoopFrame& f = loop_stack_.back();
        Jump(tree_.kind(node) == Kind::kBreakStatement ? f.after : f.head, f.withs, f.finals);
      }
      return;
    case Kind::kRaiseStatement:
      for (NodeId child : tree_.Children(node)) Emit(Op::kRaise, node, {Expression(child)});
      Start(NewBlock());
      return;
    case Kind::kBlock:
      return Statements(node);
    case Kind::kImportStatement:
    case Kind::kImportFromStatement:
    case Kind::kFutureImportStatement:
    case Kind::kGlobalStatement:
    case Kind::kNonlocalStatement:
    case Kind::kPassStatement:
    case Kind::kTypeAliasStatement:
    case Kind::kToken:
    case Kind::kComment:
      return;
    case Kind::kPrintStatement:
    case Kind::kExecStatement:
    case Kind::kAssertStatement:
    case Kind::kExpressionList:
    case Kind::kError:
      for (NodeId child : tree_.Children(node)) {
        if (tree_.kind(child) != Kind::kToken) Statement(child);
      }
      return;
    default:
      Expression(node);
  }
}

std::uint32_t Lowering::NewGuard(NodeId condition, bool negated) {
  Guard g;
  g.condition = condition;
  g.parent = guard_;
  g.loop = loop_;
  g.negated = negated;
  body_.guards.push_back(g);
  return static_cast<std::uint32_t>(body_.guards.size() - 1);
}

// The expression that a test takes for a tensor: torch.is_tensor(x), isinstance(x, torch.Tensor),
// hasattr(x, "item").
syntax::NodeId Lowering::TestedTensor(NodeId test) const {
  if (test == kNoNode || tree_.kind(test) != Kind::kCall) return kNoNode;
  NodeId function = tree_.Child(test, Field::kFunction),
         arguments = tree_.Child(test, Field::kArguments);
  if (function == kNoNode || arguments == kNoNode) return kNoNode;
  std::string_view name = tree_.Text(function), args = tree_.Text(arguments);
  const bool tests =
      name.ends_with("is_tensor") || (name == "isinstance" && args.find("Tensor") != args.npos) ||
      (name == "hasattr" && (args.find("item") != args.npos || args.find("detach") != args.npos));
  return tests ? tree_.FirstChild(arguments) : kNoNode;
}

// Past a failed test the variable holds no tensor.
void Lowering::NarrowAway(NodeId test) {
  NodeId tested = TestedTensor(test);
  SlotId slot = tested == kNoNode ? kNoSlot : SlotOfPath(tested);
  if (slot == kNoSlot) return;
  ValueId other = Emit(Op::kUnknown, test);
  Emit(Op::kStore, test, {other}, Index(slot), 5);
}

void Lowering::If(NodeId node) {
  BlockId after = NewBlock();
  const std::uint32_t outer = guard_;
  NodeId condition = tree_.Child(node, Field::kCondition);
  NodeId body = tree_.Child(node, Field::kConsequence);
  auto arm = [&](NodeId test, NodeId then) {
    if (test != kNoNode) Expression(test);
    BlockId yes = NewBlock(), no = NewBlock();
    Edge(yes);
    Edge(no);
    guard_ = NewGuard(test == kNoNode ? condition : test, false);
    Start(yes);
    Statements(then);
    Edge(after);
    guard_ = outer;
    Start(no);
    NarrowAway(test);
  };
  arm(condition, body);
  for (NodeId child : tree_.Children(node)) {
    if (tree_.kind(child) == Kind::kElifClause) {
      arm(tree_.Child(child, Field::kCondition), tree_.Child(child, Field::kConsequence));
    } else if (tree_.kind(child) == Kind::kElseClause) {
      guard_ = NewGuard(condition, true);
      body_.blocks[Index(current_)].guard = guard_;
      Statements(tree_.Child(child, Field::kBody));
      guard_ = outer;
    }
  }
  Edge(after);
  Start(after);
}

LoopId Lowering::NewLoop(NodeId node, NodeId iterable, bool comprehension, bool is_while) {
  Loop loop;
  loop.parent = loop_;
  loop.node = node;
  loop.iterable = iterable;
  loop.is_comprehension = comprehension;
  loop.is_while = is_while;
  if (iterable != kNoNode) {
    Kind k = tree_.kind(iterable);
    unsigned n = 0;
    if (k == Kind::kTuple || k == Kind::kList) {
      for (NodeId c : tree_.Children(iterable)) n += tree_.kind(c) != Kind::kListSplat ? 1u : 100u;
      loop.is_short = n <= kShortLoop;
    } else if (k == Kind::kCall && tree_.Text(iterable).starts_with("range(")) {
      NodeId args = tree_.Child(iterable, Field::kArguments);
      NodeId first = args == kNoNode ? kNoNode : tree_.FirstChild(args);
      if (first != kNoNode && tree_.NextSibling(first) == kNoNode &&
          tree_.kind(first) == Kind::kInteger) {
        loop.is_short = KeyOf(tree_.Text(first)) <= kShortLoop;
      }
    }
  }
  body_.loops.push_back(loop);
  return LoopId{static_cast<std::uint32_t>(body_.loops.size() - 1)};
}

// The current block is the loop's head with its condition or element already made.
void Lowering::LoopBody(NodeId node, LoopId loop, BlockId head, BlockId after, NodeId body) {
  const LoopId outer_loop = body_.loops[Index(loop)].parent;
  const std::uint32_t outer_guard = guard_;
  BlockId inside = NewBlock(), done = NewBlock();
  Edge(inside);
  Edge(done);
  guard_ = kNoKey;
  Start(inside);
  loop_stack_.push_back({loop, head, after, with_stack_.size(), finally_stack_.size()});
  Statements(body);
  loop_stack_.pop_back();
  Edge(head);
  loop_ = outer_loop;
  guard_ = outer_guard;
  Start(done);
  NodeId alternative = tree_.Child(node, Field::kAlternative);
  if (alternative != kNoNode) Statements(tree_.Child(alternative, Field::kBody));
  Edge(after);
  Start(after);
}

void Lowering::For(NodeId node) {
  NodeId iterable = tree_.Child(node, Field::kRight);
  NodeId target = tree_.Child(node, Field::kLeft);
  if (iterable == kNoNode || target == kNoNode) return;
  ValueId source = Expression(iterable);
  LoopId loop = NewLoop(node, iterable, false, false);
  BlockId head = NewBlock(), after = NewBlock();
  Edge(head);
  loop_ = loop;
  Start(head);
  body_.blocks[Index(head)].is_loop_head = true;
  ValueId element = Emit(Op::kIterate, target, {source});
  Assign(target, element, node, static_cast<std::uint32_t>(body_.instrs.size()));
  LoopBody(node, loop, head, after, tree_.Child(node, Field::kBody));
}

void Lowering::While(NodeId node) {
  LoopId loop = NewLoop(node, kNoNode, false, true);
  BlockId head = NewBlock(), after = NewBlock();
  Edge(head);
  loop_ = loop;
  Start(head);
  body_.blocks[Index(head)].is_loop_head = true;
  NodeId condition = tree_.Child(node, Field::kCondition);
  if (condition != kNoNode) Expression(condition);
  LoopBody(node, loop, head, after, tree_.Child(node, Field::kBody));
}

void Lowering::With(NodeId node) {
  const std::size_t depth = with_stack_.size();
  for (NodeId clause : tree_.Children(node)) {
    if (tree_.kind(clause) != Kind::kWithClause) continue;
    for (NodeId item : tree_.Children(clause)) {
      NodeId value = tree_.Child(item, Field::kValue);
      if (value == kNoNode) continue;
      NodeId target = kNoNode, context = value;
      if (tree_.kind(value) == Kind::kAsPattern) {
        context = tree_.FirstChild(value);
        for (NodeId c : tree_.Children(value)) {
          if (tree_.kind(c) == Kind::kAsPatternTarget) target = tree_.FirstChild(c);
        }
      }
      if (context == kNoNode) continue;
      ValueId entered = Emit(Op::kEnterWith, context, {Expression(context)});
      with_stack_.push_back(entered);
      if (target != kNoNode)
        Assign(target, entered, node, static_cast<std::uint32_t>(body_.instrs.size()));
    }
  }
  Statements(tree_.Child(node, Field::kBody));
  while (with_stack_.size() > depth) {
    Emit(Op::kExitWith, node, {with_stack_.back()});
    with_stack_.pop_back();
  }
}

void Lowering::Try(NodeId node) {
  NodeId finally_clause = kNoNode;
  for (NodeId c : tree_.Children(node)) {
    if (tree_.kind(c) == Kind::kFinallyClause) finally_clause = c;
  }
  BlockId final_entry = NewBlock(), after = NewBlock();
  if (finally_clause != kNoNode) finally_stack_.push_back({final_entry, with_stack_.size(), {}});
  // The marker remembers the grad mode of the handlers: a `with` in the body does not reach them.
  ValueId marker = Emit(Op::kEnterWith, node, {}, 0, 1);
  const auto first_block = static_cast<std::uint32_t>(body_.blocks.size());
  const BlockId before = current_;
  BlockId inside = NewBlock();
  Edge(inside);
  Start(inside);
  Statements(tree_.Child(node, Field::kBody));
  const auto last_block = static_cast<std::uint32_t>(body_.blocks.size());
  const BlockId body_end = current_;
  for (NodeId c : tree_.Children(node)) {
    if (tree_.kind(c) != Kind::kElseClause) continue;
    BlockId otherwise = NewBlock();  // a block of its own: what it raises is not for the handlers
    Edge(otherwise);
    Start(otherwise);
    Statements(tree_.Child(c, Field::kBody));
  }
  Edge(final_entry);
  for (NodeId c : tree_.Children(node)) {
    if (tree_.kind(c) != Kind::kExceptClause) continue;
    BlockId handler = NewBlock();
    body_.blocks[Index(before)].successors.push_back(handler);
    body_.blocks[Index(body_end)].successors.push_back(handler);
    for (std::uint32_t b = first_block; b < last_block; ++b) {
      auto& out = body_.blocks[b].successors;
      if (b != Index(handler) && out.size() < 64) out.push_back(handler);
    }
    Start(handler);
    Emit(Op::kExitWith, c, {marker});
    NodeId alias = tree_.Child(c, Field::kAlias);
    NodeId block = kNoNode;
    for (NodeId part : tree_.Children(c)) {
      if (tree_.kind(part) == Kind::kBlock) block = part;
      if (tree_.kind(part) != Kind::kAsPattern) continue;  // `E as e` as the grammar has it
      const NodeId target = tree_.Child(part, Field::kAlias);
      if (target != kNoNode) alias = tree_.FirstChild(target);
    }
    if (alias != kNoNode) {
      ValueId e = Emit(Op::kUnknown, alias);
      Assign(alias, e, c, static_cast<std::uint32_t>(body_.instrs.size()));
    }
    Statements(block);
    Edge(final_entry);
  }
  Start(final_entry);
  if (finally_clause == kNoNode) {
    Edge(after);
    Start(after);
    return;
  }
  FinallyFrame frame = std::move(finally_stack_.back());
  finally_stack_.pop_back();
  for (NodeId c : tree_.Children(finally_clause)) Statements(c);
  for (auto [target, finals] : frame.pending) {
    if (finally_stack_.size() > finals) {
      Edge(finally_stack_.back().entry);
      finally_stack_.back().pending.emplace_back(target, finals);
    } else {
      Edge(target);
    }
  }
  Edge(after);
  Start(after);
}

void Lowering::Match(NodeId node) {
  NodeId subject_node = tree_.Child(node, Field::kSubject);
  ValueId subject = subject_node == kNoNode ? Emit(Op::kUnknown, node) : Expression(subject_node);
  BlockId after = NewBlock();
  const std::uint32_t outer = guard_;
  NodeId body = tree_.Child(node, Field::kBody);
  if (body == kNoNode) return;
  for (NodeId clause : tree_.Children(body)) {
    if (tree_.kind(clause) != Kind::kCaseClause) continue;
    BlockId yes = NewBlock(), no = NewBlock();
    Edge(yes);
    Edge(no);
    guard_ = NewGuard(clause, false);
    Start(yes);
    for (NodeId part : tree_.Children(clause)) {
      if (tree_.kind(part) == Kind::kCasePattern) Captures(part, subject);
    }
    NodeId test = tree_.Child(clause, Field::kGuard);
    if (test != kNoNode && tree_.FirstChild(test) != kNoNode) Expression(tree_.FirstChild(test));
    Statements(tree_.Child(clause, Field::kConsequence));
    Edge(after);
    guard_ = outer;
    Start(no);
  }
  Edge(after);
  Start(after);
}

// Every name that the pattern binds may be a part of the subject.
void Lowering::Captures(NodeId pattern, ValueId subject) {
  for (std::uint32_t i = syntax::Index(pattern); i < syntax::Index(tree_.End(pattern)); ++i) {
    NodeId n{i};
    if (tree_.kind(n) != Kind::kIdentifier) continue;
    sema::BindingId binding = module_.BindingOf(n);
    if (binding == sema::kNoBinding || module_[binding].function != sema::kNoFunction ||
        module_[binding].class_id != sema::kNoClass || !module_[binding].qualified.empty()) {
      continue;
    }
    ValueId part = Emit(Op::kUnpack, n, {subject}, 0, 1);
    Emit(Op::kStore, n, {part}, Index(SlotOf(binding)));
  }
}

void Lowering::Definition(NodeId node) {
  NodeId inner = node;
  if (tree_.kind(node) == Kind::kDecoratedDefinition) {
    inner = tree_.Child(node, Field::kDefinition);
    if (inner == kNoNode) return;
    if (tree_.kind(inner) == Kind::kClassDefinition) return ClassStatement(inner);
  }
  sema::FunctionId function = module_.FunctionOf(inner);
  NodeId name = tree_.Child(inner, Field::kName);
  if (function == sema::kNoFunction || name == kNoNode) return;
  for (const sema::Param& p : module_[function].params) {
    if (p.default_value != kNoNode && syntax::Index(p.default_value) >= base_)
      Expression(p.default_value);
  }
  ValueId v = Emit(Op::kFunction, inner, {}, Index(function));
  sema::BindingId binding = module_.BindingOf(name);
  if (binding != sema::kNoBinding) Emit(Op::kStore, inner, {v}, Index(SlotOf(binding)));
}

// The body of a class runs in the code around it; its methods are functions of their own.
void Lowering::ClassStatement(NodeId node) {
  sema::ClassId cls = module_.ClassOf(node);
  NodeId name = tree_.Child(node, Field::kName);
  Statements(tree_.Child(node, Field::kBody));
  if (cls == sema::kNoClass || name == kNoNode) return;
  ValueId v = Emit(Op::kClass, node, {}, Index(cls));
  sema::BindingId binding = module_.BindingOf(name);
  if (binding != sema::kNoBinding) Emit(Op::kStore, node, {v}, Index(SlotOf(binding)));
}

void Lowering::Delete(NodeId node) {
  std::vector<NodeId> targets;
  for (NodeId c : tree_.Children(node)) {
    if (tree_.kind(c) == Kind::kExpressionList || tree_.kind(c) == Kind::kTuple) {
      for (NodeId t : tree_.Children(c)) targets.push_back(t);
    } else {
      targets.push_back(c);
    }
  }
  for (NodeId t : targets) {
    if (tree_.kind(t) == Kind::kSubscript) {
      NodeId base = tree_.Child(t, Field::kValue);
      if (base != kNoNode)
        Emit(Op::kDelItem, node, {Expression(base)}, 0, tree_.Text(t).ends_with("[:]") ? 1 : 0);
      continue;
    }
    SlotId slot = SlotOfPath(t);
    if (slot != kNoSlot) Emit(Op::kDelete, node, {}, Index(slot));
  }
}

void Lowering::Assignment(NodeId node) {
  std::vector<NodeId> targets;
  NodeId right = node;
  while (right != kNoNode && tree_.kind(right) == Kind::kAssignment) {
    NodeId left = tree_.Child(right, Field::kLeft);
    if (left != kNoNode) targets.push_back(left);
    right = tree_.Child(right, Field::kRight);
  }
  if (right == kNoNode) return;  // a bare annotation
  auto rhs_begin = static_cast<std::uint32_t>(body_.instrs.size());
  if (targets.size() == 1 && tree_.kind(right) == Kind::kExpressionList &&
      tree_.kind(targets[0]) == Kind::kPatternList) {  // a, b = x, y
    std::vector<NodeId> to, from;
    bool plain = true;
    for (NodeId c : tree_.Children(targets[0])) {
      to.push_back(c);
      plain &= tree_.kind(c) != Kind::kListSplatPattern;
    }
    for (NodeId c : tree_.Children(right)) {
      from.push_back(c);
      plain &= tree_.kind(c) != Kind::kListSplat;
    }
    if (plain && to.size() == from.size()) {
      std::vector<ValueId> values;
      for (NodeId c : from) values.push_back(Expression(c));
      for (std::size_t i = 0; i < to.size(); ++i) Assign(to[i], values[i], node, rhs_begin);
      return;
    }
  }
  if (tree_.kind(right) == Kind::kAugmentedAssignment) {
    Augmented(right);
    return;
  }
  ValueId value = Expression(right);
  for (NodeId t : targets) Assign(t, value, node, rhs_begin);
}

void Lowering::Augmented(NodeId node) {
  NodeId left = tree_.Child(node, Field::kLeft), right = tree_.Child(node, Field::kRight);
  if (left == kNoNode || right == kNoNode) return;
  NodeId op = tree_.Child(node, Field::kOperator);
  std::string_view text = op == kNoNode ? "+=" : tree_.Text(op);
  auto kind = static_cast<std::uint8_t>(text == "+=" || text == "-=" ? BinaryOp::kAddSub
                                        : text == "/="               ? BinaryOp::kDiv
                                                                     : BinaryOp::kMul);
  SlotId slot = SlotOfPath(left);
  if (slot != kNoSlot) {
    ValueId old = Emit(Op::kLoad, left, {}, Index(slot));
    ValueId sum = Emit(Op::kAugment, node, {old, Expression(right)}, 0, kind);
    Emit(Op::kStore, node, {sum}, Index(slot), 1);
  } else if (tree_.kind(left) == Kind::kSubscript) {
    ValueId base = Expression(tree_.Child(left, Field::kValue));
    NodeId index_node = tree_.Child(left, Field::kSubscript);
    ValueId index = index_node == kNoNode ? Emit(Op::kUnknown, left) : Expression(index_node);
    std::uint32_t key = index_node == kNoNode ? kNoKey : KeyOf(tree_.Text(index_node));
    ValueId old = Emit(Op::kGetItem, left, {base, index}, key);
    ValueId sum = Emit(Op::kAugment, node, {old, Expression(right)}, 0, kind);
    Emit(Op::kSetItem, node, {base, index, sum}, key, 1);
  } else if (tree_.kind(left) == Kind::kAttribute) {
    NodeId name = tree_.Child(left, Field::kAttribute);
    if (name == kNoNode || module_.NameOf(name) == sema::kNoName) return;
    ValueId base = Expression(tree_.Child(left, Field::kObject));
    std::uint32_t attr = Index(module_.NameOf(name));
    ValueId old = Emit(Op::kGetAttr, left, {base}, attr);
    ValueId sum = Emit(Op::kAugment, node, {old, Expression(right)}, 0, kind);
    Emit(Op::kSetAttr, node, {base, sum}, attr, 1);
  } else {
    Expression(right);
  }
}

void Lowering::Assign(NodeId target, ValueId value, NodeId statement, std::uint32_t rhs_begin) {
  std::vector<std::pair<NodeId, ValueId>> work{{target, value}};
  while (!work.empty()) {
    auto [t, v] = work.back();
    work.pop_back();
    switch (tree_.kind(t)) {
      case Kind::kPatternList:
      case Kind::kTuplePattern:
      case Kind::kListPattern:
      case Kind::kTuple:
      case Kind::kList:
      case Kind::kExpressionList: {
        std::uint32_t i = 0;
        std::size_t first = work.size();
        for (NodeId c : tree_.Children(t)) {
          bool star = tree_.kind(c) == Kind::kListSplatPattern || tree_.kind(c) == Kind::kListSplat;
          ValueId part = Emit(Op::kUnpack, c, {v}, i++, star ? 1 : 0);
          NodeId inner = star ? tree_.FirstChild(c) : c;
          if (inner != kNoNode) work.emplace_back(inner, part);
        }
        std::reverse(work.begin() + static_cast<std::ptrdiff_t>(first), work.end());
        break;
      }
      case Kind::kParenthesizedExpression:
        if (tree_.FirstChild(t) != kNoNode) work.emplace_back(tree_.FirstChild(t), v);
        break;
      default:
        AssignOne(t, v, statement, rhs_begin);
    }
  }
}

// What the statement whose instructions begin there has read so far. Kept from target to target,
// since `a, b, … = …` may have tens of thousands.
const Lowering::Reads& Lowering::ReadsFor(std::uint32_t begin) {
  if (reads_.begin != begin || reads_.end > body_.instrs.size()) {
    reads_.slots.clear();
    reads_.items.clear();
    reads_.begin = reads_.end = begin;
  }
  for (; reads_.end < body_.instrs.size(); ++reads_.end) {
    const Instr& in = body_.instrs[reads_.end];
    if (in.op == Op::kLoad) reads_.slots.insert(in.aux);
    if (in.op == Op::kGetItem) reads_.items.insert(tree_.Text(in.node));
  }
  return reads_;
}

void Lowering::AssignOne(NodeId target, ValueId value, NodeId statement, std::uint32_t rhs_begin) {
  SlotId slot = SlotOfPath(target);
  if (slot != kNoSlot) {
    // `x = x + v`: the value may contain what the variable held before.
    const std::uint8_t chain = ReadsFor(rhs_begin).slots.contains(Index(slot)) ? 2 : 0;
    Emit(Op::kStore, statement, {value}, Index(slot), chain);
    return;
  }
  if (tree_.kind(target) == Kind::kSubscript) {
    NodeId base_node = tree_.Child(target, Field::kValue);
    NodeId index_node = tree_.Child(target, Field::kSubscript);
    if (base_node == kNoNode) return;
    const std::uint8_t chain = ReadsFor(rhs_begin).items.contains(tree_.Text(target)) ? 2 : 0;
    ValueId base = Expression(base_node);
    ValueId index = index_node == kNoNode ? Emit(Op::kUnknown, target) : Expression(index_node);
    std::uint32_t key = index_node == kNoNode ? kNoKey : KeyOf(tree_.Text(index_node));
    Emit(Op::kSetItem, statement, {base, index, value}, key, chain);
  } else if (tree_.kind(target) == Kind::kAttribute) {
    NodeId name = tree_.Child(target, Field::kAttribute);
    NodeId object = tree_.Child(target, Field::kObject);
    if (name == kNoNode || object == kNoNode || module_.NameOf(name) == sema::kNoName) return;
    ValueId base = Expression(object);
    Emit(Op::kSetAttr, statement, {base, value}, Index(module_.NameOf(name)));
  }
}

void Lowering::Jump(BlockId target, std::size_t with_depth, std::size_t finally_depth) {
  for (std::size_t i = with_stack_.size(); i > with_depth; --i) {
    Emit(Op::kExitWith, body_.instrs.empty() ? NodeId{0} : body_.instrs.back().node,
         {with_stack_[i - 1]});
  }
  if (finally_stack_.size() > finally_depth) {
    finally_stack_.back().pending.emplace_back(target, finally_depth);
    Goto(finally_stack_.back().entry);
  } else {
    Goto(target);
  }
}

void Lowering::Return(NodeId node) {
  NodeId value = tree_.FirstChild(node);
  ValueId v = value == kNoNode ? Emit(Op::kNone, node) : Expression(value);
  Emit(Op::kReturn, node, {v});
  if (!finally_stack_.empty()) Edge(finally_stack_.back().entry);
  Start(NewBlock());
}

}  // namespace torchleak::flow
