#include "patterns/uses.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace torchleak::patterns {

using flow::Body;
using flow::Instr;
using flow::Op;
using flow::SlotId;
using flow::ValueId;
using sema::Index;

namespace {

// Every value that an instruction takes, those of a call's arguments included.
template <typename F>
void ForEachOperand(const Body& body, const Instr& in, F f) {
  for (ValueId o : body.Operands(in))
    if (o != flow::kNoValue) f(o);
  if (in.op != Op::kCall) return;
  const flow::Call& call = body.calls[in.aux];
  if (call.callee != flow::kNoValue) f(call.callee);
  if (call.receiver != flow::kNoValue) f(call.receiver);
  for (const flow::Argument& a : body.Arguments(call)) f(a.value);
}

constexpr std::array<std::string_view, 14> kTakers{
    "get",         "pop",   "items",  "values", "copy", "setdefault", "popitem",
    "__getitem__", "clone", "detach", "float",  "half", "to",         "cpu"};

}  // namespace

Uses::Uses(const sema::Module& module, const flow::FunctionResult& r) : module_(module), r_(r) {
  const Body& body = r.body;
  first_.assign(body.instrs.size() + 1, 0);
  for (const Instr& in : body.instrs)
    ForEachOperand(body, in, [&](ValueId o) { ++first_[Index(o) + 1]; });
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  users_.resize(first_.back());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t i = 0; i < body.instrs.size(); ++i) {
    const Instr& in = body.instrs[i];
    ForEachOperand(body, in, [&](ValueId o) { users_[next[Index(o)]++] = ValueId{i}; });
    if (in.op == Op::kLoad) loads_.emplace_back(in.aux, ValueId{i});
    if (in.op == Op::kStore) stores_.emplace_back(in.aux, ValueId{i});
  }
  std::ranges::sort(loads_);
  std::ranges::sort(stores_);
}

std::span<const ValueId> Uses::Of(ValueId value) const {
  return {users_.data() + first_[Index(value)], users_.data() + first_[Index(value) + 1]};
}

// The next write stands under no condition that the first is free of.
bool Uses::IsHidden(ValueId store, ValueId next) const {
  const std::uint32_t at = r_.body.BlockOf(next).guard;
  if (at == flow::kNoKey) return true;
  for (std::uint32_t g = r_.body.BlockOf(store).guard; g != flow::kNoKey;
       g = r_.body.guards[g].parent) {
    if (g == at) return true;
  }
  return false;
}

std::vector<ValueId> Uses::ReadsAfter(ValueId store) const {
  const std::uint32_t slot = r_.body[store].aux;
  ValueId end = flow::kNoValue;
  for (auto it = std::ranges::upper_bound(stores_, std::pair{slot, store});
       it != stores_.end() && it->first == slot; ++it) {
    if (!IsHidden(store, it->second)) continue;
    end = it->second;
    break;
  }
  std::vector<ValueId> out;
  for (auto it = std::ranges::upper_bound(loads_, std::pair{slot, store});
       it != loads_.end() && it->first == slot && it->second < end; ++it)
    out.push_back(it->second);
  return out;
}

void Uses::Through(ValueId by, ValueId value, bool parts, std::vector<ValueId>* out) const {
  const Body& body = r_.body;
  const Instr& in = body[by];
  switch (in.op) {
    case Op::kStore:
      for (ValueId read : ReadsAfter(by)) out->push_back(read);
      return;
    case Op::kSelect:
    case Op::kTuple:
    case Op::kList:
    case Op::kDict:
    case Op::kSet:
      out->push_back(by);
      return;
    case Op::kAppend:
      if (body.Operand(in, 0) != value) out->push_back(body.Operand(in, 0));
      return;
    case Op::kGetItem:
    case Op::kGetAttr:
    case Op::kIterate:
    case Op::kUnpack:
    case Op::kUnary:
      if (parts && body.Operand(in, 0) == value) out->push_back(by);
      return;
    case Op::kSetItem:
      if (parts && in.argc == 3 && body.Operand(in, 2) == value &&
          body[body.Operand(in, 0)].op == Op::kLoad) {
        const std::uint32_t slot = body[body.Operand(in, 0)].aux;
        for (auto it = std::ranges::upper_bound(loads_, std::pair{slot, by});
             it != loads_.end() && it->first == slot; ++it)
          out->push_back(it->second);
      }
      return;
    case Op::kCall: {
      const flow::Call& call = body.calls[in.aux];
      if (!parts) return;
      const bool taken = call.receiver == value && call.method != sema::kNoName &&
                         std::ranges::find(kTakers, module_.Text(call.method)) != kTakers.end();
      const bool same = call.fact != nullptr && call.fact->result == facts::Result::kArgument &&
                        call.argc > 0 && body.Arguments(call)[0].value == value;
      if (taken || same) out->push_back(by);
      return;
    }
    default:
      return;
  }
}

std::vector<ValueId> Uses::Follow(ValueId value, bool parts) const {
  std::vector<ValueId> work{value}, seen{value}, out;
  while (!work.empty() && out.size() < kMaxFollowed) {
    const ValueId at = work.back();
    work.pop_back();
    out.push_back(at);
    std::vector<ValueId> next;
    for (ValueId by : Of(at)) Through(by, at, parts, &next);
    for (ValueId n : next) {
      const auto place = std::ranges::lower_bound(seen, n);
      if (place != seen.end() && *place == n) continue;
      seen.insert(place, n);
      work.push_back(n);
    }
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace torchleak::patterns
