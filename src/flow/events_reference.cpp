// A frozen copy that a model in training is compared with: the loss walks the graph of both, and
// one of them for nothing.
//
//   logits = model(ids)
//   reference = ref_model(ids)      # nothing trains it, and its input comes without a graph
//   loss = preference_loss(logits, reference)
//   loss.backward()
#include <algorithm>
#include <array>

#include "flow/events_internal.h"
#include "flow/names.h"

namespace torchleak::flow {

namespace {

// teacher, ref_model; not `target`, which is as often a domain or a label as it is a copy.
bool NamesReference(std::string_view module) {
  static constexpr std::array<std::string_view, 4> kWords{"teacher", "ref", "reference", "ema"};
  const std::string_view name = module.substr(module.rfind('.') + 1);
  return LooksLikeReference(name) &&
         std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
           const std::size_t at = name.find(word);
           if (at == name.npos || (at > 0 && name[at - 1] != '_')) return false;
           const std::size_t end = at + word.size();
           return end == name.size() || name[end] == '_';
         });
}

}  // namespace

// Do its parameters go to an optimizer, or is it set to train(), anywhere in the file?
bool EventBuilder::IsTrained(std::string_view path) const {
  const std::string name(path.substr(path.rfind('.') + 1));
  for (const FunctionResult& r : world_.results()) {
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      if (r.body.instrs[i].op != Op::kCall) continue;
      const Call& call = r.body.calls[r.body.instrs[i].aux];
      const std::string_view text = Text(call.node);
      if (i < r.values.size() && r.values[i].Is(Kind::kOptimizer) && text.find(name) != text.npos)
        return true;
      if (call.receiver_slot != kNoSlot && call.method != sema::kNoName &&
          module().Text(call.method) == "train" &&
          SlotText(r.body, call.receiver_slot).ends_with(name))
        return true;
    }
  }
  return false;
}

bool EventBuilder::IsReferenceBeside(const FunctionResult& r, const Forward& f) const {
  if (!f.direct || f.frozen || f.module_slot == kNoSlot) return false;
  const std::string path = SlotText(r.body, f.module_slot);
  if (!NamesReference(path)) return false;
  if (r.body[f.value].op != Op::kCall) return false;
  // What is differentiated through it, to what its input was made of, needs its graph.
  for (const Argument& a : r.body.Arguments(r.body.calls[r.body[f.value].aux])) {
    if ((Deep(r, r.values[Index(a.value)]).origins & r.graph_mask).any()) return false;
  }
  const bool beside = std::any_of(r.forwards.begin(), r.forwards.end(), [&](const Forward& g) {
    if (g.origin == kOverflowOrigin || g.module_slot == kNoSlot || g.origin == f.origin)
      return false;
    const bool used = r.differentiated.test(g.origin) || r.returned.test(g.origin);
    return used && !LooksLikeReference(SlotText(r.body, g.module_slot));
  });
  return beside && !IsTrained(path);
}

}  // namespace torchleak::flow
