#include "patterns/definition.h"

#include <algorithm>

namespace torchleak::patterns {

using flow::Body;
using flow::Instr;
using flow::Op;
using flow::ValueId;
using sema::Index;

ValueId Definition(const Body& body, ValueId value) {
  constexpr int kMaxHops = 16;
  for (int hops = 0; hops < kMaxHops && value != flow::kNoValue; ++hops) {
    const Instr& in = body[value];
    if (in.op != Op::kLoad) return value;
    const std::uint32_t from = Index(value);
    const std::uint32_t end = from > kMaxLookBack ? from - kMaxLookBack : 0;
    ValueId stored = flow::kNoValue;
    for (std::uint32_t i = from; i-- > end && stored == flow::kNoValue;) {
      const Instr& store = body.instrs[i];
      if (store.op == Op::kStore && store.aux == in.aux) stored = ValueId{i};
    }
    if (stored == flow::kNoValue) return value;
    const ValueId source = body.Operand(body[stored], 0);
    if (body[source].op == Op::kParam) return value;
    value = source;
  }
  return value;
}

std::uint32_t ParameterOf(const sema::Module& module, const Body& body, ValueId value) {
  const Instr& in = body[value];
  if (in.op == Op::kParam) return in.aux;
  if (in.op != Op::kLoad) return flow::kNoKey;
  const flow::Slot& slot = body.slots[in.aux];
  if (slot.depth != 0 || !slot.is_local) return flow::kNoKey;
  const auto& params = module[body.function].params;
  for (std::uint32_t i = 0; i < params.size() && i < flow::kMaxParams; ++i)
    if (params[i].binding == slot.root) return i;
  return flow::kNoKey;
}

}  // namespace torchleak::patterns
