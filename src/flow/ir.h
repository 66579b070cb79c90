// Body: one function lowered to a control-flow graph of small instructions.
//
// Every expression becomes an instruction; its index is the value it defines. Variables and
// attribute paths on variables (`loss`, `self.losses`, `HIST`) are slots, read by kLoad and written
// by kStore. Statements become edges: loops, with, try/finally, match, comprehensions (lowered as
// loops), early exits. An unhandled construct becomes kUnknown, never an error.
//
//   losses.append(crit(model(x), y))   ->   0 load losses   1 load crit   2 load model   3 load x
//                                          4 call 2(3)   5 load y   6 call 1(4, 5)   7 call
//                                          0.append(6)
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "facts/facts.h"
#include "sema/module.h"

namespace torchleak::flow {

enum class ValueId : std::uint32_t {};  // index of the defining instruction
enum class BlockId : std::uint32_t {};
enum class LoopId : std::uint32_t {};
enum class SlotId : std::uint32_t {};
inline constexpr ValueId kNoValue{0xFFFFFFFF};
inline constexpr LoopId kNoLoop{0xFFFFFFFF};
inline constexpr SlotId kNoSlot{0xFFFFFFFF};
inline constexpr std::uint32_t kNoKey = 0xFFFFFFFF;
// What one function may cost. The largest of 12,900 files of 31 repositories: 156,000 cells (slots
// times blocks) and 6,800 instructions.
inline constexpr std::size_t kMaxStateCells = 500'000;
inline constexpr std::size_t kMaxInstrs = 30'000;
inline constexpr std::size_t kMaxParams = 256;  // parameters looked at; 63 there
using sema::Index;

enum class Op : std::uint8_t {
  kUnknown,
  kNumber,
  kString,
  kNone,
  kTrue,
  kFalse,    // constants
  kLoad,     // slot
  kStore,    // slot <- a0
  kDelete,   // slot
  kGetAttr,  // a0 . name
  kSetAttr,  // a0 . name <- a1
  kGetItem,  // a0 [a1], key when constant
  kSetItem,  // a0 [a1] <- a2
  kDelItem,  // del a0[…]
  kCall,     // calls[aux]
  kBinary,   // a0 op a1, aux8 = BinaryOp
  kAugment,  // a0 op= a1, in place
  kUnary,    // keeps what a0 is: -x, +x, ~x, await x
  kCompare,  // comparison or `not`: a truth value or a mask, never a graph
  kSelect,   // one of the operands: and, or, conditional expression
  kFormat,   // f-string and other text made of values: nothing is kept
  kTuple,
  kList,
  kDict,
  kSet,       // literals of the operands; aux = first of their keys in keys, kDict only
  kAppend,    // a0 (the container of a comprehension) receives a1
  kIterate,   // next element of a0
  kUnpack,    // element aux of a0, aux8 = 1 for the starred rest
  kFunction,  // a def or lambda, aux = FunctionId
  kClass,     // aux = ClassId
  kReturn,
  kYield,
  kRaise,      // a0
  kEnterWith,  // context a0 is entered, value is what `as` binds
  kExitWith,   // a0 = the kEnterWith
  kParam,      // value of parameter aux at entry
};

enum class BinaryOp : std::uint8_t { kAddSub, kMul, kDiv, kOther };

struct Instr {
  Op op = Op::kUnknown;
  std::uint8_t aux8 = 0;
  std::uint16_t argc = 0;
  std::uint32_t args = 0;  // first operand in Body::operands
  std::uint32_t aux = 0;   // slot, name, call, index: by op
  syntax::NodeId node = syntax::kNoNode;
};

struct Argument {
  ValueId value;
  sema::NameId keyword;  // kNoName when positional
  std::uint8_t stars;    // 0, 1 for *x, 2 for **x
};

// A call. `receiver.method(…)` has receiver and method; every call has `callee` when the function
// expression itself is a value (a name, an attribute path, a call result).
struct Call {
  syntax::NodeId node;
  ValueId callee = kNoValue;
  SlotId callee_slot = kNoSlot;
  ValueId receiver = kNoValue;
  SlotId receiver_slot = kNoSlot;
  sema::NameId method = sema::kNoName;
  const facts::Fact* fact = nullptr;  // of the qualified name, when it has one
  bool qualified = false;             // callee is a dotted import or builtin, known or not
  bool of_torch = false;              // … of torch
  bool of_numpy = false;              // … of numpy, or torch.from_numpy
  bool is_super = false;              // super().method(…)
  std::uint32_t args = 0, argc = 0;   // range of Body::arguments
};

// A variable, or an attribute path on one. Paths are at most kMaxPath attributes long.
struct Slot {
  sema::BindingId root;
  SlotId parent = kNoSlot;  // of `a.b`: the slot of `a`
  sema::NameId attribute = sema::kNoName;
  std::uint32_t depth = 0;
  bool is_local = false;  // a plain variable of this very function
  std::uint32_t first_child = kNoKey,
                next_child = kNoKey;  // slots that must forget when this one is rebound
};
inline constexpr unsigned kMaxPath = 3;

struct Loop {
  LoopId parent = kNoLoop;
  syntax::NodeId node;  // the statement or comprehension
  syntax::NodeId iterable = syntax::kNoNode;
  bool is_comprehension = false;
  bool is_while = false;
  bool is_short = false;  // over at most kShortLoop elements known at a glance
};
inline constexpr unsigned kShortLoop = 8;

struct Block {
  std::uint32_t first = 0, last = 0;  // instructions [first, last)
  LoopId loop = kNoLoop;
  bool is_loop_head = false;
  std::uint32_t guard = kNoKey;  // innermost branch it stands under, index into guards, or kNoKey
  std::vector<BlockId> successors;
};

// A condition that some blocks run under.
struct Guard {
  syntax::NodeId condition;
  std::uint32_t parent = kNoKey;
  LoopId loop = kNoLoop;  // loop in which the branch stands
  bool negated = false;
};

struct Body {
  sema::FunctionId function;
  std::vector<Instr> instrs;
  std::vector<ValueId> operands;
  std::vector<std::uint32_t> keys;  // of dict displays, kNoKey for unknown ones
  std::vector<Call> calls;
  std::vector<Argument> arguments;
  std::vector<Slot> slots;
  std::vector<Block> blocks;  // 0 is the entry
  std::vector<Loop> loops;
  std::vector<Guard> guards;
  std::vector<BlockId> order;           // reverse postorder of the reachable blocks
  std::vector<std::uint32_t> block_of;  // by instruction
  std::vector<std::pair<sema::BindingId, SlotId>> roots;  // slots of variables, sorted
  bool has_yield = false;

  const Instr& operator[](ValueId id) const { return instrs[Index(id)]; }
  std::span<const ValueId> Operands(const Instr& instr) const {
    return {operands.data() + instr.args, instr.argc};
  }
  ValueId Operand(const Instr& instr, unsigned i) const { return operands[instr.args + i]; }
  std::span<const Argument> Arguments(const Call& call) const {
    return {arguments.data() + call.args, call.argc};
  }
  const Block& BlockOf(ValueId id) const { return blocks[block_of[Index(id)]]; }
  LoopId LoopOf(ValueId id) const { return BlockOf(id).loop; }
  // The slot of a variable, kNoSlot when this function does not use it.
  SlotId RootSlot(sema::BindingId binding) const;
  // Too much for its size: left alone, so that a file of generated code costs time in proportion.
  bool TooLarge() const {
    return slots.size() * blocks.size() > kMaxStateCells || instrs.size() > kMaxInstrs;
  }
  // True when `inner` is `outer` or lies within it.
  bool Within(LoopId inner, LoopId outer) const {
    for (LoopId l = inner; l != kNoLoop; l = loops[Index(l)].parent)
      if (l == outer) return true;
    return outer == kNoLoop;
  }
};

// A variable that no code but this function's reads: neither a path nor global nor captured.
inline bool IsPrivate(const sema::Module& module, const Slot& slot) {
  return slot.is_local && slot.depth == 0 && !module[slot.root].captured;
}

// "self.opt", "losses"; empty for kNoSlot.
std::string SlotText(const sema::Module& module, const Body& body, SlotId slot);

// Key of a constant subscript: small numbers as they are, strings by hash with the top bit set.
std::uint32_t KeyOf(std::string_view literal_text);

// Lowers the code of one function (not that of functions nested in it). Nesting beyond kMaxNesting
// statements (CPython itself refuses 100) or comprehensions becomes kUnknown.
Body Lower(const sema::Module& module, sema::FunctionId function);
inline constexpr unsigned kMaxNesting = 200;

}  // namespace torchleak::flow
