#include "patterns/kept_view.h"

#include <algorithm>
#include <array>

#include "flow/world.h"
#include "patterns/definition.h"

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
  return out;
}

}  // namespace torchleak::patterns
