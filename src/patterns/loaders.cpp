#include "patterns/loaders.h"

#include <algorithm>
#include <array>

#include "flow/world.h"

namespace torchleak::patterns {

using flow::FunctionResult;
using flow::Instr;
using flow::kNoValue;
using flow::Op;
using flow::SlotId;
using flow::ValueId;
using sema::Index;
using syntax::kNoNode;

namespace {

constexpr std::array<std::string_view, 3> kLoaderClasses{
    "torch.utils.data.DataLoader", "torch_geometric.loader.DataLoader", "monai.data.DataLoader"};
constexpr int kWorkersPosition = 5;  // DataLoader(dataset, batch_size, shuffle, …, num_workers)

}  // namespace

Loaders::Loaders(const Sight& sight, const Trace& trace) : sight_(sight), trace_(trace) {
  for (const std::string_view name : kLoaderClasses) {
    for (const CallSite& site : sight.calls().Of(name)) {
      const bool known = by_node_.contains(syntax::Index(site.call->node));
      if (known || site.fact()->name != name) continue;
      LoaderSite loader{site, WorkersOf(site), kNoValue};
      const flow::Argument* data = sight.ArgumentOf(site, "dataset", 0);
      if (data != nullptr) loader.dataset = data->value;
      by_node_.emplace(syntax::Index(site.call->node), all_.size());
      all_.push_back(loader);
    }
  }
  if (!all_.empty()) FindAttributes();
}

Workers Loaders::WorkersOf(const CallSite& site) const {
  const flow::Argument* number = sight_.ArgumentOf(site, "num_workers", kWorkersPosition);
  const ValueId value = number == nullptr ? InOptions(site) : number->value;
  if (value == kNoValue) return Workers::kNone;
  const std::string_view literal = trace_.Literal(*site.r, value);
  if (literal.empty()) return Workers::kMaybe;
  return literal == "0" ? Workers::kNone : Workers::kSome;
}

// DataLoader(data, **{"num_workers": 2})
ValueId Loaders::InOptions(const CallSite& site) const {
  const flow::Body& body = site.r->body;
  for (const flow::Argument& argument : body.Arguments(*site.call)) {
    if (argument.stars != 2) continue;
    const ValueId made = trace_.Made(*site.r, argument.value);
    if (made == kNoValue) continue;
    const Instr& in = body[made];
    if (in.op == Op::kDict) {
      const std::uint32_t key = flow::KeyOf("\"num_workers\"");
      for (std::uint32_t i = 0; i < in.argc && in.aux + i < body.keys.size(); ++i) {
        if (body.keys[in.aux + i] == key) return body.Operand(in, i);
      }
    } else if (in.op == Op::kCall) {
      const CallSite dict{site.r, made, &body.calls[in.aux]};
      const bool is_dict = dict.fact() != nullptr && dict.fact()->name == "builtins.dict";
      const flow::Argument* number = is_dict ? sight_.ArgumentOf(dict, "num_workers") : nullptr;
      if (number != nullptr) return number->value;
    }
  }
  return kNoValue;
}

// What `self.loader = …` and `return …` of the whole file say.
void Loaders::FindAttributes() {
  for (const FunctionResult& r : sight_.world().results()) {
    for (std::uint32_t i = 0; r.analyzed && i < r.body.instrs.size(); ++i) {
      const Instr& in = r.body.instrs[i];
      const bool stores = in.op == Op::kStore && r.body.slots[in.aux].depth > 0;
      if (!stores && in.op != Op::kReturn) continue;
      if (in.argc == 0) continue;
      const ValueId made = trace_.Made(r, r.body.Operand(in, 0));
      const auto known = made == kNoValue || r.body[made].op != Op::kCall
                             ? by_node_.end()
                             : by_node_.find(syntax::Index(r.body[made].node));
      const std::size_t loader = known == by_node_.end() ? kNone : known->second;
      auto& places = stores ? by_attribute_ : by_function_;
      const std::uint32_t key =
          stores ? Index(r.body.slots[in.aux].attribute) : Index(r.body.function);
      const auto [place, is_new] = places.try_emplace(key, loader);
      if (!is_new && place->second != loader) place->second = kNone;
    }
  }
}

std::size_t Loaders::At(const FunctionResult& r, ValueId value) const {
  const ValueId made = trace_.Made(r, value);
  if (made == kNoValue) return kNone;
  const Instr& in = r.body[made];
  const auto found = [](const auto& map, std::uint32_t key) {
    const auto at = map.find(key);
    return at == map.end() ? kNone : at->second;
  };
  if (in.op == Op::kCall) {
    const std::size_t here = found(by_node_, syntax::Index(in.node));
    if (here != kNone) return here;
    const auto target = sight_.world().Resolve(r.body, r.body.calls[in.aux]);
    if (target.function == sema::kNoFunction || target.class_id != sema::kNoClass) return kNone;
    return found(by_function_, Index(target.function));
  }
  if (in.op == Op::kGetAttr) return found(by_attribute_, in.aux);
  if (in.op != Op::kLoad) return kNone;
  const flow::Slot& slot = r.body.slots[in.aux];
  if (slot.depth > 0) return found(by_attribute_, Index(slot.attribute));
  std::size_t same = kNone;
  for (const Trace::Place& place : trace_.Beyond({&r, made})) {
    const ValueId beyond = trace_.Made(*place.r, place.value);
    const std::size_t one = beyond == kNoValue || place.r->body[beyond].op != Op::kCall
                                ? kNone
                                : found(by_node_, syntax::Index(place.r->body[beyond].node));
    if (one == kNone || (same != kNone && same != one)) return kNone;
    same = one;
  }
  return same;
}

const LoaderSite* Loaders::Behind(const FunctionResult& r, ValueId value) const {
  const std::size_t at = At(r, value);
  return at == kNone ? nullptr : &all_[at];
}

bool Loaders::Returns(const LoaderSite& loader) const {
  const auto at = by_function_.find(Index(loader.site.r->body.function));
  return at != by_function_.end() && at->second != kNone && &all_[at->second] == &loader;
}

}  // namespace torchleak::patterns
