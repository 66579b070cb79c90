#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/cached_entries.h"
#include "patterns/memoized.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"performance", "memory"};
constexpr std::array<std::string_view, 2> kNeedles{"cache", "torch"};

using Keeps = patterns::MemoizedFunction::Keeps;

std::string Message(const patterns::MemoizedFunction& e) {
  if (e.keeps == Keeps::kOwner)
    return "the cache of `" + e.name + "` keeps every `" + e.what + "` that called it alive";
  if (e.keeps == Keeps::kArgument)
    return "the cache of `" + e.name + "` keeps each `" + e.what + "` that it was called with";
  return "the cache of `" + e.name + "` keeps a tensor for each new argument" +
         (e.bounded ? ", up to " + std::to_string(e.size) : std::string(", without a limit"));
}

std::string Help(const patterns::MemoizedFunction& e) {
  if (e.keeps == Keeps::kOwner)
    return "cache a function of the plain arguments, or keep the results on the object itself";
  if (e.keeps == Keeps::kArgument) return "drop the cache, or key it by something small: a name";
  return "give it a small `maxsize`, or keep one slot that is overwritten";
}

class CachedTensorRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK111",
        "cached-tensor",
        "A cache without a small limit keeps tensors or modules alive",
        findings::Severity::kWarning,
        kTags,
        kNeedles,
        Page("cached-tensor")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::MemoizedFunction& e : patterns::MemoizedFunctions(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(*this, e, events, Message(e), Help(e)));
    }
    for (const patterns::CachedEntry& e : patterns::CachedEntries(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events,
          "`" + e.cache + "` keeps a tensor for each " + (e.by_identity ? "object" : "new key") +
              ", and nothing takes one out",
          e.by_identity
              ? "hand the tensor on by `save_for_backward` or an argument; an `id` never comes back"
              : "bound it: one slot that is overwritten, or a small cache that evicts"));
    }
  }
};

}  // namespace

const engine::Rule& CachedTensor() {
  static const CachedTensorRule kRule;
  return kRule;
}

}  // namespace torchleak::rules
