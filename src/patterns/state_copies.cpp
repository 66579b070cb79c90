#include "patterns/state_copies.h"

#include <algorithm>

namespace torchleak::patterns {

using flow::LoopId;
using flow::Op;
using flow::ValueId;
using sema::Index;

std::set<std::uint32_t> StateCopies::Find() {
  aliases_.insert(Index(site_.value));
  const std::uint32_t end = std::min<std::uint32_t>(
      Index(site_.value) + 200, static_cast<std::uint32_t>(body_.instrs.size()));
  for (std::uint32_t i = Index(site_.value) + 1; i < end; ++i) {
    const flow::Instr& in = body_.instrs[i];
    if (in.op == Op::kDict) {
      for (const ValueId v : body_.Operands(in)) {
        if (aliases_.contains(Index(v))) aliases_.insert(i);
      }
    }
    FollowItems(ValueId{i}, in);
    if (in.op != Op::kCall) continue;
    const flow::Call& call = body_.calls[in.aux];
    const std::string_view method = sight_.module().Text(call.method);
    const bool same = (method == "items" || method == "detach") &&
                      call.receiver != flow::kNoValue && aliases_.contains(Index(call.receiver));
    if (same) aliases_.insert(i);
    const bool copies = method == "copy" && call.receiver != flow::kNoValue &&
                        aliases_.contains(Index(call.receiver));
    const bool wraps = call.fact != nullptr && call.argc == 1 &&
                       aliases_.contains(Index(body_.Arguments(call)[0].value)) &&
                       (call.fact->name == "builtins.dict" || call.fact->name == "copy.copy" ||
                        call.fact->name == "collections.OrderedDict");
    if (!copies && !wraps) continue;
    aliases_.insert(i);
    *shallow_ = true;
  }
  return aliases_;
}

// {k: v for k, v in state.items()}
void StateCopies::FollowItems(ValueId at, const flow::Instr& in) {
  if (in.op == Op::kIterate || in.op == Op::kUnpack || in.op == Op::kGetAttr) {
    const bool data = in.op != Op::kGetAttr || sight_.module().Text(sema::NameId{in.aux}) == "data";
    if (data && aliases_.contains(Index(body_.Operand(in, 0)))) aliases_.insert(Index(at));
  } else if (in.op == Op::kStore && body_.slots[in.aux].depth == 0) {
    if (aliases_.contains(Index(body_.Operand(in, 0)))) loop_variables_.insert(in.aux);
  } else if (in.op == Op::kLoad && loop_variables_.contains(in.aux)) {
    if (body_.loops.size() > 0 && InComprehension(at)) aliases_.insert(Index(at));
  } else if (in.op == Op::kAppend) {
    for (const ValueId v : body_.Operands(in)) {
      if (v == body_.Operand(in, 0) || !aliases_.contains(Index(v))) continue;
      aliases_.insert(Index(body_.Operand(in, 0)));
      *shallow_ = true;
    }
  }
}

bool StateCopies::InComprehension(ValueId at) const {
  const LoopId loop = body_.LoopOf(at);
  return loop != flow::kNoLoop && body_.loops[Index(loop)].is_comprehension;
}

}  // namespace torchleak::patterns
