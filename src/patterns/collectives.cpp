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
      if (!value.Is(flow::Kind::kParameters) || !IsBare(sight, r, tensor->value)) continue;
      CollectiveEvent e;
      Place(sight, site, &e);
      e.what = sight.Short(r.body[tensor->value].node);
      e.collective = name;
      e.flow.push_back({e.span, "autograd sees the parameter in the collective"});
      events.push_back(std::move(e));
    }
  }
  std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
  return events;
}

}  // namespace torchleak::patterns
