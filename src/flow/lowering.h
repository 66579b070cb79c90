// Lowering: the builder behind Lower(). Private to the flow layer.
//
// Expressions are lowered in postorder with an explicit stack, so their depth does not matter.
// Statements recurse, but only kMaxNesting deep: CPython's own limit on indentation is 100.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "flow/ir.h"

namespace torchleak::flow {

class Lowering {
 public:
  Lowering(const sema::Module& module, sema::FunctionId function);
  Body Run();

 private:
  using NodeId = syntax::NodeId;

  // lower.cpp: instructions, slots, blocks.
  ValueId Emit(Op op, NodeId node, std::initializer_list<ValueId> operands = {},
               std::uint32_t aux = 0, std::uint8_t aux8 = 0);
  ValueId EmitMany(Op op, NodeId node, const std::vector<ValueId>& operands, std::uint32_t aux = 0,
                   std::uint8_t aux8 = 0);
  SlotId SlotOf(sema::BindingId binding);
  SlotId SlotOfPath(NodeId expression);  // kNoSlot when not a variable or short attribute path
  SlotId ChildSlot(SlotId parent, sema::NameId attribute);
  BlockId NewBlock();
  void Start(BlockId block);
  void Edge(BlockId to);  // from the current block
  void Goto(BlockId to);  // … and nothing follows
  void Finish();
  void Params();

  // lower_statement.cpp
  void Statements(NodeId block);
  void Statement(NodeId node);
  void If(NodeId node);
  NodeId TestedTensor(NodeId test) const;
  void NarrowAway(NodeId test);
  void For(NodeId node);
  void While(NodeId node);
  void LoopBody(NodeId node, LoopId loop, BlockId head, BlockId after, NodeId body);
  void With(NodeId node);
  void Try(NodeId node);
  void Match(NodeId node);
  void Captures(NodeId pattern, ValueId subject);
  void Definition(NodeId node);
  void ClassStatement(NodeId node);
  void Delete(NodeId node);
  void Assignment(NodeId node);
  void Augmented(NodeId node);
  void Assign(NodeId target, ValueId value, NodeId statement, std::uint32_t rhs_begin);
  void AssignOne(NodeId target, ValueId value, NodeId statement, std::uint32_t rhs_begin);
  void Jump(BlockId target, std::size_t with_depth, std::size_t finally_depth);
  void Return(NodeId node);
  struct Reads {
    std::uint32_t begin = 0, end = 0;
    std::unordered_set<std::uint32_t> slots;
    std::unordered_set<std::string_view> items;  // source text of subscripts
  };
  const Reads& ReadsFor(std::uint32_t begin);
  LoopId NewLoop(NodeId node, NodeId iterable, bool comprehension, bool is_while);
  std::uint32_t NewGuard(NodeId condition, bool negated);

  // lower_expression.cpp
  ValueId Expression(NodeId node);
  bool Leaf(NodeId node, ValueId* out);  // value without visiting children
  void PushChildren(NodeId node);
  ValueId Combine(NodeId node);  // value from the values of children
  ValueId CallOf(NodeId node);
  ValueId Comprehension(NodeId node);
  ValueId DictOf(NodeId node);
  ValueId Of(NodeId node) const { return value_of_[syntax::Index(node) - base_]; }
  void Set(NodeId node, ValueId v) { value_of_[syntax::Index(node) - base_] = v; }
  bool RootIsImport(NodeId expression) const;
  bool IsLinked(NodeId expression) const;  // … of something that the project defines

  struct Frame {
    NodeId node;
    bool entered;
  };
  struct LoopFrame {
    LoopId loop;
    BlockId head, after;
    std::size_t withs, finals;
  };
  struct FinallyFrame {
    BlockId entry;
    std::size_t withs;
    std::vector<std::pair<BlockId, std::size_t>> pending;
  };

  const sema::Module& module_;
  const syntax::Tree& tree_;
  Body body_;
  std::uint32_t base_;             // id of the function's node
  std::vector<ValueId> value_of_;  // by node - base_
  std::vector<Frame> stack_;
  std::unordered_map<std::uint64_t, SlotId> slots_;
  BlockId current_{0};
  LoopId loop_ = kNoLoop;
  std::uint32_t guard_ = kNoKey;
  std::vector<LoopFrame> loop_stack_;
  std::vector<FinallyFrame> finally_stack_;
  std::vector<ValueId> with_stack_;
  Reads reads_;
  unsigned nesting_ = 0;
};

}  // namespace torchleak::flow
