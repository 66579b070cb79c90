// total.add_(loss) and its kin: a tensor that takes the graph of what it is given.
#include <algorithm>

#include "flow/analysis.h"

namespace torchleak::flow {

using facts::Fact;

// The variable or attribute that x.add_(y) writes to, also as x.mul_(0.9).add_(y).
SlotId FunctionAnalysis::WrittenTo(const Call& call) const {
  const Call* at = &call;
  constexpr int kMaxCalls = 8;
  for (int calls = 0; calls < kMaxCalls && at->receiver_slot == kNoSlot; ++calls) {
    if (at->receiver == kNoValue || body_[at->receiver].op != Op::kCall) return kNoSlot;
    at = &body_.calls[body_[at->receiver].aux];
    const Fact* fact = facts::FindMethod("torch.Tensor", NameText(at->method));
    if (fact == nullptr || (fact->effects & facts::kInPlace) == 0) return kNoSlot;
  }
  return at->receiver_slot;
}

void FunctionAnalysis::InPlaceEffects(ValueId id, const Call& call, const Fact& fact,
                                      const Value& receiver) {
  // out[a:b].copy_(y), view.copy_(y): whoever holds the whole has the graph of y.
  if (recording_ && fact.name.ends_with(".copy_")) r_.escaped |= ArgumentOrigins(call, -1);
  if (!(fact.effects & facts::kInPlace) || call.argc == 0 || state_->mode == GradMode::kOff) return;
  const Origins added = ArgumentOrigins(call, -1);
  if (added.none()) return;
  const SlotId written = WrittenTo(call);
  if (written == kNoSlot) {
    if (fact.name.ends_with(".add_")) AddIntoElement(id, call, receiver);
    return;
  }
  const Slot& s = body_.slots[Index(written)];
  const bool outer = !s.is_local || s.depth > 0;
  if (body_.LoopOf(id) == kNoLoop && !outer) {  // y.add_(x), once: y carries x's graph on
    Value& held = state_->slots[Index(written)];
    if (held.Reached()) held.origins |= added;
    return;
  }
  Value updated = receiver;
  const bool replaces = fact.name.ends_with(".copy_") || fact.name.ends_with(".fill_") ||
                        fact.name.ends_with(".set_");
  // x.copy_(0.9 * x + 0.1 * y) is a sum of what it held before
  if (replaces && !Accumulates(body_.Arguments(call)[0].value,
                               written)) {  // nothing of what it held before is left
    updated.origins = added;
    state_->slots[Index(written)] = updated;
    return;
  }
  updated.origins |= added;
  const Objects sinks = outer ? Bit(EntryObject(written)) : 0;
  ChainStore(id, body_.Arguments(call)[0].value, updated, written, s.attribute, sinks, &updated);
  state_->slots[Index(written)] = updated;
}

// sums["loss"].add_(loss), stats.get("loss").add_(loss): into what a container or an object holds.
void FunctionAnalysis::AddIntoElement(ValueId id, const Call& call, const Value& receiver) {
  const ValueId holder = HolderOf(call);
  const SlotId place = PlaceOf(holder);
  if (place == kNoSlot || Of(holder).Is(Kind::kTensor)) return;  // x[0].add_(y): a region of x
  const Slot& s = body_.slots[Index(place)];
  const bool outer = !s.is_local || s.depth > 0 || world_.module()[s.root].is_param;
  const Objects objects = outer ? Bit(EntryObject(place)) : Of(holder).objects;
  if (!outer && (body_.LoopOf(id) == kNoLoop || objects == 0)) return;
  Value grown = receiver;
  grown.kind = Kind::kTensor;
  grown.origins |= ArgumentOrigins(call, -1);
  ChainStore(id, body_.Arguments(call)[0].value, grown, place, s.attribute, objects, nullptr);
}

// What the receiver was taken out of, by a subscript or by somebody's getter: get("loss"). A method
// that is given more than constants may make a new tensor.
ValueId FunctionAnalysis::HolderOf(const Call& call) const {
  const Instr& in = body_[call.receiver];
  if (in.op == Op::kGetItem) return body_.Operand(in, 0);
  if (in.op != Op::kCall) return kNoValue;
  const Call& getter = body_.calls[in.aux];
  const auto arguments = body_.Arguments(getter);
  const bool constants = std::all_of(arguments.begin(), arguments.end(), [&](const Argument& a) {
    return body_[a.value].op == Op::kString || body_[a.value].op == Op::kNumber;
  });
  const bool of_tensor = facts::FindMethod("torch.Tensor", NameText(getter.method)) != nullptr;
  const bool module = getter.callee != kNoValue && Of(getter.callee).Is(Kind::kModule);
  if (!constants || arguments.empty() || getter.fact != nullptr || of_tensor || module)
    return kNoValue;
  return getter.receiver;
}

}  // namespace torchleak::flow
