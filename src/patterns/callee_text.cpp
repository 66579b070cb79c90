#include "patterns/callee_text.h"

#include "flow/world.h"

namespace torchleak::patterns {

namespace {

std::string OfParameter(const Sight& sight, const flow::FunctionResult& r, const flow::Call& call,
                        sema::FunctionId callee, std::uint32_t index) {
  const sema::Function& f = sight.module()[callee];
  const bool method = f.class_id != sema::kNoClass && !f.is_static;
  if (method && index == 0) {
    // `generator(x)` runs forward(): its self is what is called.
    const bool called = call.receiver_slot == flow::kNoSlot ||
                        sight.module().Text(call.method) != sight.module().Text(f.name);
    return flow::SlotText(sight.module(), r.body, called ? call.callee_slot : call.receiver_slot);
  }
  std::uint32_t position = method ? 1 : 0;
  for (const flow::Argument& a : r.body.Arguments(call)) {
    if (a.stars != 0) return {};
    const bool it =
        a.keyword != sema::kNoName ? a.keyword == f.params[index].name : position++ == index;
    if (it && r.body[a.value].op == flow::Op::kLoad)
      return flow::SlotText(sight.module(), r.body, flow::SlotId{r.body[a.value].aux});
  }
  return {};
}

}  // namespace

std::string CalleeText(const Sight& sight, const flow::FunctionResult& r, const flow::Call& call,
                       sema::FunctionId callee, const flow::Sink& sink) {
  std::string text;
  if (sink.root == flow::Sink::Root::kBinding) {
    text = sight.module().Text(sight.module()[sema::BindingId{sink.index}].name);
  } else if (sink.index < sight.module()[callee].params.size()) {
    text = OfParameter(sight, r, call, callee, sink.index);
  }
  if (text.empty()) return {};
  for (unsigned d = 0; d < sink.depth; ++d) {
    text += '.';
    text += sight.module().Text(sink.path[d]);
  }
  return text;
}

}  // namespace torchleak::patterns
