#include "patterns/repeated_calls.h"

#include <algorithm>

namespace torchleak::patterns {

std::vector<RepeatedCallEvent> RepeatedCalls(const Sight& sight,
                                             std::span<const std::string_view> functions) {
  std::vector<RepeatedCallEvent> events;
  for (const std::string_view function : functions) {
    for (const CallSite& site : sight.calls().Of(function)) {
      const Often often = sight.HowOften(*site.r, site.value);
      if (often == Often::kOnce || often == Often::kNowAndThen) continue;
      RepeatedCallEvent e;
      Place(sight, site, &e);
      e.often = often;
      e.flow.push_back({e.span, "called here"});
      e.flow.push_back({sight.HeaderSpan(sight.LoopAround(*site.r, site.value), site.r->body),
                        "once more in every turn of this loop"});
      events.push_back(std::move(e));
    }
  }
  std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
  return events;
}

}  // namespace torchleak::patterns
