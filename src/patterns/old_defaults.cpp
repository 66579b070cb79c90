#include "patterns/old_defaults.h"

#include <algorithm>
#include <array>

#include "flow/world.h"

namespace torchleak::patterns {

namespace {

constexpr std::array<std::string_view, 3> kSwitches{"torch.no_grad", "torch.enable_grad",
                                                    "torch.inference_mode"};

}  // namespace

std::vector<BareDecoratorEvent> BareDecorators(const Sight& sight) {
  std::vector<BareDecoratorEvent> events;
  for (const sema::Function& function : sight.module().functions()) {
    for (const syntax::NodeId decorator : function.decorators) {
      if (sight.module().tree().kind(decorator) == syntax::Kind::kCall) continue;
      const std::string name = sight.module().QualifiedName(decorator);
      if (std::ranges::find(kSwitches, name) == kSwitches.end()) continue;
      BareDecoratorEvent e;
      e.function = sight.module().FunctionOf(function.node);
      e.span = sight.Span(decorator);
      e.strength = flow::Strength::kStrong;
      e.in_test = sight.InTest(e.function);
      e.what = std::string(sight.Text(decorator));
      e.flow.push_back({e.span, "a class, called with the function"});
      events.push_back(std::move(e));
    }
  }
  return events;
}

std::vector<ClearByDefaultEvent> ClearsByDefault(const Sight& sight) {
  std::vector<ClearByDefaultEvent> events;
  for (const CallSite& site : sight.calls().OfMethod("zero_grad")) {
    const flow::ValueId receiver = site.call->receiver;
    if (site.call->argc != 0 || receiver == flow::kNoValue) continue;
    if (!site.r->values[sema::Index(receiver)].Is(flow::Kind::kOptimizer)) continue;
    if (sight.HowOften(*site.r, site.value) == Often::kOnce) continue;
    ClearByDefaultEvent e;
    Place(sight, site, &e);
    e.flow.push_back({e.span, "the gradients are filled with zeros and stay"});
    events.push_back(std::move(e));
  }
  return events;
}

}  // namespace torchleak::patterns
