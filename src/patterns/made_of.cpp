#include "patterns/made_of.h"

#include <set>
#include <vector>

namespace torchleak::patterns {

using flow::FunctionResult;
using flow::Op;
using flow::ValueId;
using sema::Index;

namespace {

class Makers {
 public:
  Makers(const Sight& sight, const FunctionResult& r) : sight_(sight), r_(r) {}

  bool Reach(ValueId from, ValueId target) const {
    constexpr std::size_t kMaxValues = 64;
    std::vector<ValueId> todo{from};
    std::set<std::uint32_t> seen;
    while (!todo.empty() && seen.size() < kMaxValues) {
      const ValueId value = todo.back();
      todo.pop_back();
      if (value == target) return true;
      if (seen.insert(Index(value)).second) Parts(value, &todo);
    }
    return false;
  }

 private:
  void Parts(ValueId value, std::vector<ValueId>* todo) const {
    const flow::Instr& in = r_.body[value];
    switch (in.op) {
      case Op::kLoad:
        if (const ValueId store = LastStore(value, in.aux); store != flow::kNoValue)
          todo->push_back(r_.body.Operand(r_.body[store], 0));
        return;
      case Op::kTuple:
      case Op::kList:
      case Op::kBinary:
      case Op::kUnary:
      case Op::kSelect:
      case Op::kGetItem:
        for (const ValueId operand : r_.body.Operands(in)) todo->push_back(operand);
        return;
      case Op::kCall:
        return OfCall(r_.body.calls[in.aux], todo);
      default:
        return;
    }
  }

  void OfCall(const flow::Call& call, std::vector<ValueId>* todo) const {
    const facts::Fact* fact = call.fact;
    const bool method = fact == nullptr && call.receiver != flow::kNoValue;
    if (method) fact = facts::FindMethod("torch.Tensor", sight_.module().Text(call.method));
    if (fact == nullptr || fact->graph != facts::Graph::kKeeps) return;
    if (fact->result != facts::Result::kTensor && fact->result != facts::Result::kTensors &&
        fact->result != facts::Result::kSelf)
      return;
    if (method) todo->push_back(call.receiver);
    for (const flow::Argument& a : r_.body.Arguments(call)) todo->push_back(a.value);
  }

  // The nearest one before it in the code.
  ValueId LastStore(ValueId load, std::uint32_t slot) const {
    for (std::uint32_t i = Index(load); i-- > 0;) {
      const flow::Instr& in = r_.body.instrs[i];
      if (in.op == Op::kStore && in.aux == slot) return ValueId{i};
    }
    return flow::kNoValue;
  }

  const Sight& sight_;
  const FunctionResult& r_;
};

}  // namespace

bool MadeOf(const Sight& sight, const FunctionResult& r, ValueId value, ValueId part) {
  return Makers(sight, r).Reach(value, part);
}

}  // namespace torchleak::patterns
