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

namespace {

// A yield, raise or call of something unknown that the graph reaches.
bool HandsOn(const FunctionResult& r, ValueId id, unsigned origin) {
  const Instr& in = r.body[id];
  auto reaches = [&](ValueId v) {
    return v != kNoValue && Deep(r, r.values[Index(v)]).origins.test(origin);
  };
  if (in.op == Op::kYield || in.op == Op::kRaise) return reaches(r.body.Operand(in, 0));
  if (in.op != Op::kCall) return false;
  const Call& call = r.body.calls[in.aux];
  if (call.fact != nullptr || call.of_torch) return false;
  auto here = [&](const auto& event) { return event.value == id; };
  const bool known = std::any_of(r.calls.begin(), r.calls.end(), here) ||
                     std::any_of(r.stores.begin(), r.stores.end(), here) ||
                     std::any_of(r.forwards.begin(), r.forwards.end(), here) ||
                     std::any_of(r.origins.begin(), r.origins.end(),
                                 [&](const Origin& o) { return here(o) && o.makes_graph; });
  if (known) return false;
  const auto arguments = r.body.Arguments(call);
  return std::any_of(arguments.begin(), arguments.end(),
                     [&](const Argument& a) { return reaches(a.value); });
}

}  // namespace

// The first place below the graph's making, or else the first of all.
text::Span EventBuilder::HandedOnAt(const FunctionResult& r, unsigned origin) const {
  if (!out_->dismissed.wanted || origin >= r.origins.size()) return {};
  const ValueId made = r.origins[origin].value;
  text::Span above;
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
    if (!HandsOn(r, ValueId{i}, origin)) continue;
    const text::Span span = Span(r.body.instrs[i].node);
    if (made == kNoValue || i > Index(made)) return span;
    if (above.end == 0) above = span;
  }
  return above;
}

}  // namespace torchleak::flow
