#include "patterns/figures.h"
#include "patterns/words.h"

#include <algorithm>
#include <array>

namespace torchleak::patterns {

using flow::LoopId;
using sema::Index;
using syntax::Field;
using syntax::Kind;
using syntax::kNoNode;
using syntax::NodeId;

namespace {

// The figure leaves the function: `return fig`, `yield fig`, `self.fig = fig`, `figs.append(fig)`.
bool Leaves(const Sight& sight, NodeId code, NodeId call) {
  const syntax::Tree& tree = sight.module().tree();
  const NodeId statement = sight.Around(call, Kind::kAssignment);
  if (sight.Around(call, Kind::kReturnStatement) != kNoNode) return true;
  if (statement == kNoNode) return false;
  const NodeId left = tree.Child(statement, Field::kLeft);
  NodeId name = left;
  if (left != kNoNode && tree.kind(left) != Kind::kIdentifier) name = tree.FirstChild(left);
  if (name == kNoNode || tree.kind(name) != Kind::kIdentifier) return true;
  const sema::BindingId figure = sight.module().BindingOf(name);
  const auto end = Index(tree.End(code));
  for (std::uint32_t n = Index(code); n < end; ++n) {
    const NodeId use{n};
    if (tree.kind(use) != Kind::kIdentifier || sight.module().BindingOf(use) != figure) continue;
    NodeId at = tree.Parent(use);
    if (tree.kind(at) == Kind::kAttribute) continue;  // fig.savefig(…)
    while (tree.kind(at) == Kind::kTuple || tree.kind(at) == Kind::kExpressionList)
      at = tree.Parent(at);
    if (tree.kind(at) == Kind::kArgumentList) {
      const std::string_view callee = sight.Text(tree.Child(tree.Parent(at), Field::kFunction));
      if (Has(callee, "wandb") || Has(callee, "colorbar")) continue;
      return true;
    }
    if (tree.kind(at) == Kind::kReturnStatement || tree.kind(at) == Kind::kYield) return true;
    if (tree.kind(at) == Kind::kAssignment && use != name && tree.Child(at, Field::kRight) == use)
      return true;
  }
  return false;
}

bool IsClosed(std::string_view code) {
  for (const std::string_view word : {"close(", "close_", ".show(", "add_figure(", "plt.ion("})
    if (Has(code, word)) return true;
  return false;
}

bool IsUsed(std::string_view code) {
  for (const std::string_view word : {"savefig(", "wandb", "imsave(", "FigureCanvas", "canvas"})
    if (Has(code, word)) return true;
  return false;
}

// `plt.figure(1)` and `plt.figure("loss")` take up a figure that is there.
bool TakesUp(const Sight& sight, const CallSite& site, bool subplots) {
  if (sight.ArgumentOf(site, "num") != nullptr) return true;
  const flow::Argument* first = sight.ArgumentOf(site, "num", 0);
  return !subplots && first != nullptr && first->keyword == sema::kNoName;
}

// Hooks of a Lightning module or callback, which run in each epoch or more often.
bool ByTrainer(const Sight& sight, const flow::FunctionResult& r) {
  constexpr std::array<std::string_view, 11> kHooks{
      "training_step",           "validation_step",         "test_step",
      "on_train_batch_end",      "on_validation_batch_end", "on_train_epoch_end",
      "on_validation_epoch_end", "training_epoch_end",      "validation_epoch_end",
      "on_validation_end",       "on_train_epoch_start"};
  const sema::Function& f = sight.module()[r.body.function];
  return f.class_id != sema::kNoClass && !sight.module()[f.class_id].bases.empty() &&
         std::ranges::find(kHooks, sight.module().Text(f.name)) != kHooks.end();
}

void Add(const Sight& sight, const CallSite& site, bool subplots, std::vector<FigureEvent>* out) {
  const sema::Module& module = sight.module();
  const NodeId callee = module.tree().Child(site.call->node, Field::kFunction);
  const std::string name = module.QualifiedName(callee);
  if (!name.starts_with("matplotlib.pyplot.") && !name.starts_with("pylab.")) return;
  if (TakesUp(sight, site, subplots)) return;
  const flow::FunctionResult& r = *site.r;
  const LoopId loop = sight.LoopAround(r, site.value);
  if (loop != flow::kNoLoop && r.body.loops[Index(loop)].is_short) return;
  const NodeId code =
      loop != flow::kNoLoop ? r.body.loops[Index(loop)].node : module[r.body.function].node;
  const std::string_view text = sight.Text(code);
  if (IsClosed(text) || !IsUsed(text) || Leaves(sight, code, site.call->node)) return;
  const Runs runs = sight.HowOftenInAll(r, site.value);
  const bool by_trainer = loop == flow::kNoLoop && ByTrainer(sight, r);
  if (sight.HandlerAround(site.call->node) != kNoNode) return;
  if (runs.often == Often::kOnce && !by_trainer) return;
  if (runs.often == Often::kNowAndThen && loop == flow::kNoLoop &&
      runs.caller == sema::kNoFunction && !by_trainer)
    return;
  FigureEvent e;
  Place(sight, site, &e);
  e.call = sight.Short(callee);
  e.flow.push_back({e.span, "made here"});
  const flow::FunctionResult* around = &r;
  LoopId again = loop;
  if (loop == flow::kNoLoop && runs.caller != sema::kNoFunction) {
    around = &sight.world().result(runs.caller);
    again = sight.LoopAround(*around, runs.at);
    if (again != flow::kNoLoop) {
      if (IsClosed(sight.Text(around->body.loops[Index(again)].node))) return;
      if (around->body.loops[Index(again)].is_short) return;
    }
    e.flow.push_back({sight.Span(around->body[runs.at].node), "its function is called here"});
  }
  if (again == flow::kNoLoop && ByTrainer(sight, *around)) {
    e.flow.push_back({sight.Span(module[around->body.function].node), "a trainer calls this"});
    out->push_back(std::move(e));
    return;
  }
  if (again == flow::kNoLoop) return;
  e.flow.push_back({sight.HeaderSpan(again, around->body), "once more as this loop goes on"});
  out->push_back(std::move(e));
}

// fig = plt.figure(); …; return fig
bool IsReturned(const Sight& sight, NodeId code, NodeId call) {
  const syntax::Tree& tree = sight.module().tree();
  const NodeId statement = sight.Around(call, Kind::kAssignment);
  if (statement == kNoNode) return false;
  NodeId name = tree.Child(statement, Field::kLeft);
  if (name != kNoNode && tree.kind(name) != Kind::kIdentifier) name = tree.FirstChild(name);
  if (name == kNoNode || tree.kind(name) != Kind::kIdentifier) return false;
  const auto end = Index(tree.End(code));
  for (std::uint32_t n = Index(code); n < end; ++n) {
    const NodeId use{n};
    if (tree.kind(use) == Kind::kIdentifier && sight.Text(use) == sight.Text(name) &&
        tree.kind(tree.Parent(use)) == Kind::kReturnStatement)
      return true;
  }
  return false;
}

// A function makes the figure and gives it back; a loop logs or saves it, and closes none.
void AddReturned(const Sight& sight, const CallSite& made, std::vector<FigureEvent>* out) {
  const sema::Module& module = sight.module();
  const NodeId callee = module.tree().Child(made.call->node, Field::kFunction);
  const sema::FunctionId maker = made.r->body.function;
  const NodeId code = module[maker].node;
  if (!module.QualifiedName(callee).starts_with("matplotlib.pyplot.")) return;
  if (TakesUp(sight, made, module.Text(made.call->method) == "subplots")) return;
  if (sight.LoopAround(*made.r, made.value) != flow::kNoLoop) return;
  if (IsClosed(sight.Text(code)) || !IsReturned(sight, code, made.call->node)) return;
  for (const CallSite& use : sight.calls().OfName(module.Text(module[maker].name))) {
    if (sight.world().Resolve(use.r->body, *use.call).function != maker) continue;
    const LoopId loop = sight.LoopAround(*use.r, use.value);
    if (loop == flow::kNoLoop || use.r->body.loops[Index(loop)].is_short) continue;
    const std::string_view text = sight.Text(use.r->body.loops[Index(loop)].node);
    if (IsClosed(text) || !IsUsed(text) ||
        Leaves(sight, use.r->body.loops[Index(loop)].node, use.call->node))
      continue;
    FigureEvent e;
    Place(sight, use, &e);
    e.call = sight.Short(callee);
    e.flow.push_back({sight.Span(made.call->node), "made here"});
    e.flow.push_back({e.span, "given back to this call"});
    e.flow.push_back({sight.HeaderSpan(loop, use.r->body), "once more as this loop goes on"});
    out->push_back(std::move(e));
  }
}

}  // namespace

std::vector<FigureEvent> OpenFigures(const Sight& sight) {
  std::vector<FigureEvent> events;
  for (const CallSite& site : sight.calls().OfName("figure")) AddReturned(sight, site, &events);
  for (const CallSite& site : sight.calls().OfName("subplots")) AddReturned(sight, site, &events);
  for (const CallSite& site : sight.calls().OfName("figure")) Add(sight, site, false, &events);
  for (const CallSite& site : sight.calls().OfName("subplots")) Add(sight, site, true, &events);
  std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
  return events;
}

}  // namespace torchleak::patterns
