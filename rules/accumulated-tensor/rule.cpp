#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/running_buffer.h"
#include "repair/repair.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 4> kTags{"performance", "memory", "external/cwe/cwe-401",
                                                "external/cwe/cwe-770"};
constexpr std::array<std::string_view, 4> kNeedles{"backward", "torch", "forward", "loss"};

std::string Quote(const std::string& text) { return "`" + text + "`"; }

// Growth beyond the iteration, of something with a graph that nothing will differentiate.
bool Leaks(const flow::KeptEvent& e) {
  if (e.graph == flow::Graph::kNone || e.growth == flow::Growth::kSlot || e.in_hook) return false;
  if (e.in_test || e.bounded || e.cleared == flow::Cleared::kEachTurn || e.needed || e.cache)
    return false;
  // tensor-on-module speaks of what forward leaves on its module
  if (e.in_forward && e.module_attribute && !e.in_training_step) return false;
  // A module's state, set back by its other methods: a sequence goes by, and the output needs it.
  if (e.module_attribute && !e.in_training_step && e.cleared != flow::Cleared::kNever) return false;
  // forward's own arguments and locals live as long as the output needs them
  const bool live = e.graph == flow::Graph::kLive;
  if (live && e.in_forward && !e.in_training_step && e.place != flow::Place::kGlobal) return false;
  // A live value in a local list is a leak where batches go by, not where layers do: there the
  // result needs it.
  const bool local =
      e.place == flow::Place::kLocalContainer || e.place == flow::Place::kLocalVariable;
  if (local && e.graph == flow::Graph::kLive && (!e.over_data || e.in_forward)) return false;
  // A live value put into the caller's list, once: the caller may differentiate it.
  const bool callers_business =
      e.place == flow::Place::kParameter && !e.in_loop && e.graph == flow::Graph::kLive;
  return !callers_business || e.in_eval;
}

std::string Help(const flow::KeptEvent& e) {
  if (e.size == flow::Size::kScalar || e.growth == flow::Growth::kChain) {
    return "keep the number: `.item()` (a detached loss can still hold its element-wise buffer)";
  }
  if (e.in_eval) return "run the forward under `torch.no_grad()`, or keep `.detach().cpu()`";
  return "keep a copy without the graph: `.detach().cpu()`, or `.item()` when it is one number";
}

class AccumulatedTensorRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK101",
        "accumulated-tensor",
        "A value that carries an autograd graph is kept beyond the iteration that made it",
        findings::Severity::kError,
        kTags,
        kNeedles,
        Page("accumulated-tensor")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    for (const flow::KeptEvent& e : events.kept) {
      if (!Leaks(e) || patterns::IsRunningBuffer(events, e)) continue;
      const bool live = e.graph == flow::Graph::kLive;
      const std::string where = e.where.empty() ? std::string("a container") : Quote(e.where);
      std::string message =
          e.growth == flow::Growth::kChain
              ? where + " gathers tensors that still carry their graph"
              : Quote(e.what) + " is kept in " + where + " with its autograd graph";
      message += live ? ", and its saved activations stay alive" : "";
      auto finding = engine::MakeFinding(*this, e, events, std::move(message), Help(e));
      finding.severity = live && e.strength >= flow::Strength::kMedium
                             ? findings::Severity::kError
                             : findings::Severity::kWarning;
      finding.fix = repair::KeepLess(events, e);
      context.Report(std::move(finding));
    }
  }
};

}  // namespace

const engine::Rule& AccumulatedTensor() {
  static const AccumulatedTensorRule kRule;
  return kRule;
}

}  // namespace torchleak::rules
