#include "patterns/kept_view.h"

#include <algorithm>
#include <array>

#include "flow/names.h"
#include "flow/world.h"
#include "patterns/definition.h"
#include "patterns/words.h"

namespace torchleak::patterns {

using flow::Body;
using flow::FunctionResult;
using flow::Instr;
using flow::Op;
using flow::ValueId;
using sema::Index;

namespace {

// `[:, 0]`, `[:, :, -1, :]`: one place of a dimension behind the first. The first one is the batch,
// which may be of one, and another number is a class of two as often as not.
bool TakesOnePlace(std::string_view subscript) {
  const std::size_t open = subscript.rfind('[');
  if (open == subscript.npos || !subscript.ends_with(']')) return false;
  std::string_view index = subscript.substr(open + 1, subscript.size() - open - 2);
  std::size_t part_number = 0;
  int places = 0;
  while (true) {
    const std::size_t comma = index.find(',');
    std::string_view part = index.substr(0, comma);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    const bool place = part == "0" || part == "-1";
    if (place && part_number > 0) {
      ++places;
    } else if (part != ":" && part != "...") {
      return false;
    }
    ++part_number;
    if (comma == index.npos) break;
    index.remove_prefix(comma + 1);
  }
  return places > 0;
}

// The subscript that a kept value still is, through methods that make views; kNoValue for others.
ValueId SubscriptBehind(const Sight& sight, const Body& body, ValueId value) {
  constexpr std::array<std::string_view, 7> kViews{"detach",    "squeeze", "unsqueeze", "t",
                                                   "transpose", "unbind",  "view"};
  for (int hops = 0; hops < 8 && value != flow::kNoValue; ++hops) {
    value = Definition(body, value);
    const Instr& in = body[value];
    if (in.op == Op::kGetItem) return value;
    if (in.op != Op::kCall) return flow::kNoValue;
    const std::string_view method = sight.module().Text(body.calls[in.aux].method);
    if (std::ranges::find(kViews, method) == kViews.end()) return flow::kNoValue;
    value = body.calls[in.aux].receiver;
  }
  return flow::kNoValue;
}

// Made anew in each turn of the loop that keeps the view: a call, or an attribute of its result.
bool MadeInTurn(const FunctionResult& r, ValueId base, ValueId store) {
  const flow::LoopId loop = r.body.LoopOf(store);
  for (int hops = 0; hops < 4; ++hops) {
    base = Definition(r.body, base);
    const Instr& in = r.body[base];
    if (in.op == Op::kCall) return r.body.LoopOf(base) == loop;
    if (in.op != Op::kGetAttr) return false;
    base = r.body.Operand(in, 0);
  }
  return false;
}

// What a module gave, on the host or not, however little flow knows of it:
// encoder(ids).last_hidden_state.cpu(), model(ids)["logits"].float()
bool IsOutput(const Sight& sight, const FunctionResult& r, ValueId base, flow::LoopId loop) {
  constexpr std::array<std::string_view, 6> kSame{"cpu", "float", "half", "detach", "double", "to"};
  for (int hops = 0; hops < 6 && base != flow::kNoValue; ++hops) {
    base = Definition(r.body, base);
    const Instr& in = r.body[base];
    if (in.op == Op::kGetAttr || in.op == Op::kUnpack ||
        (in.op == Op::kGetItem && r.body[r.body.Operand(in, 1)].op == Op::kString)) {
      base = r.body.Operand(in, 0);
      continue;
    }
    if (in.op != Op::kCall || !r.body.Within(r.body.LoopOf(base), loop)) return false;
    const flow::Call& call = r.body.calls[in.aux];
    const std::string_view method = sight.module().Text(call.method);
    if (call.receiver != flow::kNoValue && std::ranges::find(kSame, method) != kSame.end()) {
      base = call.receiver;
      continue;
    }
    return flow::LooksLikeModule(LastName(CalledText(sight, call))) ||
           std::ranges::any_of(r.forwards, [&](const auto& f) { return f.value == base; });
  }
  return false;
}

// A list that this function makes before the loop, and neither empties nor makes anew in it.
bool IsListAround(const Sight& sight, const FunctionResult& r, const flow::Call& call,
                  flow::LoopId loop) {
  bool made = false;
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
    const Instr& in = r.body.instrs[i];
    const bool within = r.body.Within(r.body.LoopOf(ValueId{i}), loop);
    if (in.op == Op::kStore && flow::SlotId{in.aux} == call.receiver_slot) {
      if (within) return false;
      made |= r.body[r.body.Operand(in, 0)].op == Op::kList;
    }
    if (in.op == Op::kDelete && flow::SlotId{in.aux} == call.receiver_slot) return false;
    if (in.op != Op::kCall || !within) continue;
    const flow::Call& other = r.body.calls[in.aux];
    const std::string_view method = sight.module().Text(other.method);
    if (other.receiver_slot == call.receiver_slot && (method == "clear" || method == "pop"))
      return false;
  }
  return made;
}

bool GradIsOff(const FunctionResult& r, ValueId at) {
  if (Index(at) >= r.modes.size()) return false;
  const flow::GradMode mode = r.modes[Index(at)];
  return mode == flow::GradMode::kOff ||
         (mode == flow::GradMode::kInherit && r.entry_mode == flow::GradMode::kOff);
}

// Lists of parts of outputs of which flow does not know that they are tensors, so that it makes no
// event of them.
void OfOutputs(const Sight& sight, std::vector<KeptViewEvent>* out) {
  for (const CallSite& site : sight.calls().OfMethod("append")) {
    const FunctionResult& r = *site.r;
    const flow::LoopId loop = sight.LoopAround(r, site.value);
    if (loop == flow::kNoLoop || r.body.loops[Index(loop)].is_short || site.call->argc != 1)
      continue;
    if (site.call->receiver_slot == flow::kNoSlot || !GradIsOff(r, site.value)) continue;
    const flow::Slot& slot = r.body.slots[Index(site.call->receiver_slot)];
    const ValueId stored = r.body.Arguments(*site.call)[0].value;
    if (slot.depth != 0 || !slot.is_local || r.values[Index(stored)].Is(flow::Kind::kTensor))
      continue;
    const ValueId subscript = SubscriptBehind(sight, r.body, stored);
    if (subscript == flow::kNoValue || !TakesOnePlace(sight.Text(r.body[subscript].node))) continue;
    if (!IsOutput(sight, r, r.body.Operand(r.body[subscript], 0), loop)) continue;
    if (!IsListAround(sight, r, *site.call, loop)) continue;
    KeptViewEvent event;
    Place(sight, site, &event);
    event.strength = flow::Strength::kMedium;
    event.what = sight.Short(r.body[subscript].node);
    event.where = flow::SlotText(sight.module(), r.body, site.call->receiver_slot);
    event.flow.push_back({event.span, "the view is stored here"});
    event.flow.push_back({sight.HeaderSpan(loop, r.body), "one more whole tensor in each turn"});
    out->push_back(std::move(event));
  }
}

// `x[:10]`, `x[0]`, `x[i]` of a counted i: a part that shares the storage of x. What a mask or a
// list of indices picks is a tensor of its own.
bool IsPlainPart(const Sight& sight, const FunctionResult& r, ValueId subscript) {
  const Instr& in = r.body[subscript];
  if (!r.values[Index(r.body.Operand(in, 0))].Is(flow::Kind::kTensor)) return false;
  const std::string_view text = sight.Text(in.node);
  const std::size_t open = text.rfind('[');
  if (open == text.npos || !text.ends_with(']')) return false;
  std::string_view index = text.substr(open + 1, text.size() - open - 2);
  const ValueId at = Definition(r.body, r.body.Operand(in, 1));
  const bool counted = r.body[at].op == Op::kIterate || r.body[at].op == Op::kUnpack;
  if (counted && index.find(':') == index.npos && r.values[Index(at)].Is(flow::Kind::kNumber))
    return true;
  bool less = false;
  while (!index.empty()) {
    const std::size_t comma = index.find(',');
    std::string_view part = index.substr(0, comma);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    const bool number = !part.empty() && part.find_first_not_of("-0123456789") == part.npos;
    const bool range = part.find(':') != part.npos;
    if (!number && !range && part != "...") return false;
    less |= number || (range && part.size() > 1 && part != "::");
    if (comma == index.npos) break;
    index.remove_prefix(comma + 1);
  }
  return less;
}

// torch.save(features[:100], path): the file holds all of `features`.
void Saved(const Sight& sight, std::vector<KeptViewEvent>* out) {
  for (const CallSite& site : sight.calls().Of("torch.save")) {
    const FunctionResult& r = *site.r;
    if (site.call->argc == 0) continue;
    std::vector<ValueId> parts{r.body.Arguments(*site.call)[0].value};
    const Instr& whole = r.body[Definition(r.body, parts[0])];
    if (whole.op == Op::kDict || whole.op == Op::kTuple || whole.op == Op::kList)
      parts.assign(r.body.Operands(whole).begin(), r.body.Operands(whole).end());
    for (const ValueId part : parts) {
      const ValueId subscript = SubscriptBehind(sight, r.body, part);
      if (subscript == flow::kNoValue || !IsPlainPart(sight, r, subscript)) continue;
      KeptViewEvent event;
      Place(sight, site, &event);
      event.what = sight.Short(r.body[subscript].node);
      event.saved = true;
      event.flow.push_back({sight.Span(r.body[subscript].node), "shares the whole storage"});
      event.flow.push_back({event.span, "which is written here"});
      out->push_back(std::move(event));
      break;
    }
  }
}

}  // namespace

std::vector<KeptViewEvent> KeptViews(const Sight& sight) {
  std::vector<KeptViewEvent> out;
  for (const flow::KeptEvent& e : sight.events().kept) {
    const bool piles = e.growth == flow::Growth::kGrows && e.in_loop && e.over_data && !e.bounded;
    if (!piles || e.graph != flow::Graph::kNone || e.cleared == flow::Cleared::kEachTurn) continue;
    if (e.residency == flow::Residency::kDevice || e.in_hook) continue;  // gpu-accumulation
    const FunctionResult& r = sight.world().result(e.function);
    if (e.record >= r.stores.size()) continue;
    const flow::Store& store = r.stores[e.record];
    if (store.stored == flow::kNoValue || store.callee != sema::kNoFunction) continue;
    const ValueId subscript = SubscriptBehind(sight, r.body, store.stored);
    if (subscript == flow::kNoValue || !TakesOnePlace(sight.Text(r.body[subscript].node))) continue;
    if (!MadeInTurn(r, r.body.Operand(r.body[subscript], 0), store.value)) continue;
    KeptViewEvent event;
    static_cast<flow::EventBase&>(event) = e;
    event.what = sight.Short(r.body[subscript].node);
    event.where = e.where;
    out.push_back(std::move(event));
  }
  OfOutputs(sight, &out);
  Saved(sight, &out);
  return out;
}

}  // namespace torchleak::patterns
