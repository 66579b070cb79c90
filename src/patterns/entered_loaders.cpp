#include "patterns/entered_loaders.h"

#include "flow/world.h"

namespace torchleak::patterns {

std::vector<EnteredLoaderEvent> EnteredLoaders(const Sight& sight) {
  std::vector<EnteredLoaderEvent> events;
  const Trace trace(sight);
  const Loaders loaders(sight, trace);
  if (loaders.all().empty()) return events;
  for (const flow::FunctionResult& r : sight.world().results()) {
    if (!r.analyzed) continue;
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      const flow::Instr& in = r.body.instrs[i];
      if (in.op != flow::Op::kEnterWith || in.aux8 != 0 || in.argc != 1) continue;
      const flow::ValueId context = r.body.Operand(in, 0);
      const LoaderSite* loader = loaders.Behind(r, context);
      if (loader == nullptr || loader->site.fact()->name != "torch.utils.data.DataLoader") continue;
      EnteredLoaderEvent e;
      e.function = r.body.function;
      e.span = sight.Span(r.body[context].node);
      e.strength = flow::Strength::kStrong;
      e.in_test = sight.InTest(r.body.function);
      const text::Span made = sight.Span(loader->site.call->node);
      if (!(made == e.span)) e.flow.push_back({made, "a DataLoader"});
      e.flow.push_back({e.span, "entered here: it has no `__enter__`"});
      events.push_back(std::move(e));
    }
  }
  return events;
}

}  // namespace torchleak::patterns
