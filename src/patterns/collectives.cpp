#include "patterns/collectives.h"

#include <algorithm>
#include <array>

#include "flow/world.h"

namespace torchleak::patterns {

using flow::FunctionResult;
using flow::GradMode;
using flow::Op;
using flow::ValueId;
using sema::Index;

namespace {

// p, layer.weight; not p.grad or p.data.
bool IsBare(const Sight& sight, const FunctionResult& r, ValueId value) {
  const flow::Instr& in = r.body[value];
  if (in.op != Op::kLoad) return false;
  const std::string_view name = sight.module().Text(r.body.slots[in.aux].attribute);
  return name != "grad" && name != "data";
}

// A loss or an output, surely with its graph.
bool CarriesGraph(const FunctionResult& r, ValueId value) {
  const flow::Value& v = r.values[Index(value)];
  return v.Is(flow::Kind::kTensor) && v.strength >= flow::Strength::kMedium &&
         (v.origins & r.graph_mask).any() && !v.Has(flow::kMovedToHost);
}

// dist.all_reduce(loss); loss.backward()
bool DifferentiatedAfter(const FunctionResult& r, ValueId at, ValueId tensor) {
  return std::ranges::any_of(r.backwards, [&](const flow::Backward& b) {
    if (Index(b.value) < Index(at) || r.body[b.value].op != Op::kCall) return false;
    const flow::Call& call = r.body.calls[r.body[b.value].aux];
    return call.receiver_slot != flow::kNoSlot && Index(call.receiver_slot) == r.body[tensor].aux;
  });
}

constexpr std::array<std::string_view, 6> kCollectives{
    "all_reduce", "broadcast", "reduce", "all_gather", "all_gather_into_tensor", "reduce_scatter"};

}  // namespace

std::vector<CollectiveEvent> CollectivesWithGrad(const Sight& sight) {
  std::vector<CollectiveEvent> events;
  for (const std::string_view name : kCollectives) {
    for (const CallSite& site : sight.calls().Of("torch.distributed." + std::string(name))) {
      const FunctionResult& r = *site.r;
      const GradMode mode = r.modes[Index(site.value)];
      if (mode == GradMode::kOff || mode == GradMode::kUnknown) continue;
      if (mode == GradMode::kInherit && r.entry_mode == GradMode::kOff) continue;
      const flow::Argument* tensor = sight.ArgumentOf(site, "tensor", name == "all_gather" ? 1 : 0);
      if (tensor == nullptr) continue;
      const flow::Value& value = r.values[Index(tensor->value)];
      if (!IsBare(sight, r, tensor->value)) continue;
      const bool in_place = name == "all_reduce" || name == "reduce" || name == "broadcast";
      CollectiveEvent e;
      e.of_graph = in_place && CarriesGraph(r, tensor->value) &&
                   DifferentiatedAfter(r, site.value, tensor->value);
      if (!value.Is(flow::Kind::kParameters) && !e.of_graph) continue;
      Place(sight, site, &e);
      e.what = sight.Short(r.body[tensor->value].node);
      e.collective = name;
      e.flow.push_back({e.span, e.of_graph ? "autograd sees the tensor in the collective"
                                           : "autograd sees the parameter in the collective"});
      events.push_back(std::move(e));
    }
  }
  std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
  return events;
}

}  // namespace torchleak::patterns
