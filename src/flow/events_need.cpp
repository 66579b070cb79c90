// Places that `why` can name for a graph that may still be wanted.
#include <algorithm>
#include <bit>

#include "flow/events_internal.h"

namespace torchleak::flow {

Value Deep(const FunctionResult& r, const Value& v) {
  Value out = v;
  Objects seen = 0, left = v.objects;
  while (left != 0) {
    const auto i = static_cast<unsigned>(std::countr_zero(left));
    seen |= Objects{1} << i;
    left &= ~seen;
    if (i >= r.contents.size()) continue;
    out.origins |= r.contents[i].origins;
    left |= r.contents[i].objects & ~seen;
  }
  return out;
}

// The first yield, raise or call of something unknown that the graph reaches.
text::Span EventBuilder::HandedOnAt(const FunctionResult& r, unsigned origin) const {
  if (!out_->dismissed.wanted || origin == kOverflowOrigin) return {};
  auto reaches = [&](ValueId id) {
    return id != kNoValue && Deep(r, r.values[Index(id)]).origins.test(origin);
  };
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
    const Instr& in = r.body.instrs[i];
    if ((in.op == Op::kYield || in.op == Op::kRaise) && reaches(r.body.Operand(in, 0)))
      return Span(in.node);
    if (in.op != Op::kCall) continue;
    const Call& call = r.body.calls[in.aux];
    const bool ours = std::any_of(r.calls.begin(), r.calls.end(),
                                  [&](const CallEdge& e) { return e.value == ValueId{i}; }) ||
                      std::any_of(r.stores.begin(), r.stores.end(),
                                  [&](const Store& s) { return s.value == ValueId{i}; }) ||
                      std::any_of(r.forwards.begin(), r.forwards.end(),
                                  [&](const Forward& f) { return f.value == ValueId{i}; });
    const bool makes = std::any_of(r.origins.begin(), r.origins.end(), [&](const Origin& o) {
      return o.value == ValueId{i} && o.makes_graph;
    });
    if (ours || makes || call.fact != nullptr || call.of_torch) continue;
    for (const Argument& a : r.body.Arguments(call)) {
      if (reaches(a.value)) return Span(call.node);
    }
  }
  return {};
}

}  // namespace torchleak::flow
