// Modules that run with grad enabled: for evaluation, or with nobody using the gradient.
#include <algorithm>
#include <array>
#include <string>

#include "flow/events_internal.h"
#include "flow/names.h"

namespace torchleak::flow {

using syntax::kNoNode;

// evaluate(), predict(), validate(): a function for evaluation by its name. A module's own infer()
// is not: whoever calls it decides on the grad mode. But its evaluate(loader) is.
bool EventBuilder::Evaluates(sema::FunctionId function) const {
  const sema::Function& f = module()[function];
  const std::string_view name = FunctionName(function);
  if (!LooksLikeEvaluation(name)) return false;
  if (f.class_id == sema::kNoClass || !world_.IsModuleClass(f.class_id)) return true;
  if (name.find("eval") == name.npos && name.find("valid") == name.npos) return false;
  return std::any_of(f.params.begin(), f.params.end(),
                     [&](const sema::Param& p) { return LooksLikeLoader(module().Text(p.name)); });
}

// A helper that runs the module it is given, told of by nothing but its callers, who evaluate.
bool EventBuilder::JudgedAtCall(const FunctionResult& r, const Forward& f,
                                const ForwardEvent& e) const {
  if (f.unused) return !e.in_eval;  // a call that does not evaluate: the helper itself is told
  if (!r.evaluated || e.in_eval || e.evaluation_function || e.over_held_out) return false;
  if (f.module_slot == kNoSlot) return false;
  const Slot& slot = r.body.slots[Index(f.module_slot)];
  return slot.depth == 0 && module()[slot.root].is_param;
}

bool EventBuilder::OfModule(const FunctionResult& r) const {
  const sema::ClassId cls = module()[r.body.function].class_id;
  return cls != sema::kNoClass && world_.IsModuleClass(cls);
}

// @app.route("/predict"), @router.post("/score"): runs once a request.
bool EventBuilder::AnswersRequests(sema::FunctionId function) const {
  static constexpr std::array<std::string_view, 6> kVerbs{".route(", ".get(",  ".post(",
                                                          ".put(",   ".task(", ".websocket("};
  const auto& decorators = module()[function].decorators;
  return std::any_of(decorators.begin(), decorators.end(), [&](syntax::NodeId d) {
    const std::string_view text = Text(d);
    const std::string_view callee = text.substr(0, text.find('(') + 1);
    return std::any_of(kVerbs.begin(), kVerbs.end(),
                       [&](std::string_view verb) { return callee.ends_with(verb); });
  });
}

// module.eval() stands in this very function.
bool EventBuilder::EvalHere(const FunctionResult& r, SlotId module_slot) const {
  return std::any_of(r.mode_ops.begin(), r.mode_ops.end(),
                     [&](const auto& op) { return op.second && op.first == module_slot; });
}

// Lightning's manual optimization freezes all but one optimizer's parameters.
bool EventBuilder::Toggles(const Body& body) const {
  return std::any_of(body.calls.begin(), body.calls.end(), [&](const Call& call) {
    return module().Text(call.method) == "toggle_optimizer";
  });
}

// out = model(x); assert out.shape == (1, 1000): a test of shapes.
bool EventBuilder::OnlyAsserted(const FunctionResult& r, const Forward& f) const {
  const syntax::Tree& tree = module().tree();
  syntax::NodeId around = tree.Parent(f.node);  // torch.testing.assert_close(f(x), g(x))
  for (int up = 0; up < 4 && around != kNoNode; ++up, around = tree.Parent(around)) {
    if (tree.kind(around) != syntax::Kind::kCall) continue;
    const std::string_view callee = Text(tree.Child(around, syntax::Field::kFunction));
    if (callee.find("assert") != callee.npos) return true;
  }
  const syntax::NodeId assignment = tree.Parent(f.node);
  if (assignment == kNoNode || tree.kind(assignment) != syntax::Kind::kAssignment) return false;
  const syntax::NodeId left = tree.Child(assignment, syntax::Field::kLeft);
  if (left == kNoNode) return false;
  const std::string_view code = Text(module()[r.body.function].node);
  for (std::uint32_t i = syntax::Index(left); i < syntax::Index(tree.End(left)); ++i) {
    const syntax::NodeId name{i};
    if (tree.kind(name) != syntax::Kind::kIdentifier) continue;
    if (code.find("assert " + std::string(Text(name)) + ".shape") != code.npos) return true;
  }
  return false;
}

namespace {

LoopId OutermostLoop(const Body& body, ValueId value) {
  LoopId loop = body.LoopOf(value);
  while (loop != kNoLoop && body.loops[Index(loop)].parent != kNoLoop)
    loop = body.loops[Index(loop)].parent;
  return loop;
}

}  // namespace

void EventBuilder::Forwards() {
  for (const FunctionResult& r : world_.results()) {
    if (!r.analyzed) continue;
    // A module that runs several times in one loop is told of once; another loop is another
    // mistake.
    std::vector<std::pair<std::string, LoopId>> seen;
    // Shapes are probed once, when the object is made.
    const bool is_init = r.within_init || FunctionName(r.body.function) == "__init__";
    std::vector<const Forward*> forwards;  // in the order of the code
    for (const Forward& f : r.forwards) forwards.push_back(&f);
    std::stable_sort(forwards.begin(), forwards.end(), [&](const Forward* a, const Forward* b) {
      return Span(a->node).begin < Span(b->node).begin;
    });
    for (const Forward* forward : forwards) {
      const Forward& f = *forward;
      const Body& body = r.body;
      ForwardEvent e;
      e.function = body.function;
      e.span = Span(f.node);
      e.record = static_cast<std::uint32_t>(&f - r.forwards.data());
      e.module = SlotText(body, f.module_slot);
      if (e.module.empty()) {
        const Call* call = body[f.value].op == Op::kCall ? &body.calls[body[f.value].aux] : nullptr;
        syntax::NodeId callee = call == nullptr
                                    ? syntax::kNoNode
                                    : module().tree().Child(call->node, syntax::Field::kFunction);
        e.module = Short(callee);
      }
      e.strength = f.strength;
      e.in_eval = f.in_eval;
      e.in_test = InTest(body.function);
      e.evaluation_function = Evaluates(body.function);
      e.over_held_out = f.over_held_out;
      e.frozen = f.frozen;
      const GradMode mode = f.mode == GradMode::kInherit ? r.entry_mode : f.mode;
      e.guarded = mode == GradMode::kOff || mode == GradMode::kUnknown;
      // A function that differentiates something is a training step: it runs again and again.
      const bool in_loop =
          body.LoopOf(f.value) != kNoLoop || r.called_in_loop || AnswersRequests(body.function);
      // So is a forward() with a model to learn from.
      // … but the top level of a script runs once.
      const bool script = body.function == sema::FunctionId{0};
      e.repeated = in_loop || (r.differentiated.any() && !script) ||
                   (world_.role(body.function) == Role::kForward && LooksLikeReference(e.module));
      const bool tracked = f.origin != kOverflowOrigin;
      const bool differentiated = tracked && r.differentiated.test(f.origin);
      const bool returned = tracked && r.returned.test(f.origin);
      const bool escaped = tracked && r.escaped.test(f.origin);
      const bool kept = tracked && r.kept.test(f.origin);
      const bool by_branch = differentiated && EvaluatesByBranch(r, f);
      e.in_eval |= by_branch;
      const bool reference = tracked && (differentiated || (returned && r.result_differentiated)) &&
                             IsReferenceBeside(r, f);
      e.repeated |= reference;  // beside a model in training
      if (by_branch || reference) {
        // the training side's need is not the other's
      } else if (differentiated) {
        e.need = Need::kBackward;
        e.needed_at = BackwardOf(r, f.origin);
      } else if (r.wants_input_grad) {
        e.need = Need::kInputGradient;
      } else if (returned && r.result_differentiated) {
        e.need = Need::kCallersBackward;
      }
      e.needed = e.need != Need::kNone;
      e.unused_gradient =
          reference || (tracked && !differentiated && !returned && !escaped && !kept &&
                        !body.has_yield && !is_init && !Toggles(body) && !OnlyAsserted(r, f));
      if (returned && !e.needed && !reference) {
        // Handed to callers: those we see must not need the gradient; for those we do not, the name
        // speaks.
        const bool own_loop = body.LoopOf(f.value) != kNoLoop;
        e.needed = r.has_callers
                       ? r.result_escapes && !(e.evaluation_function && (own_loop || e.in_eval))
                       : !e.evaluation_function && !(e.in_eval && e.over_held_out);
        if (e.needed) e.need = Need::kReturned;
      }
      // A module that hands its parts' output on leaves the grad mode to those who run it.
      if (returned && !e.needed && !reference && OfModule(r) && !EvalHere(r, f.module_slot)) {
        e.needed = true;
        e.need = Need::kReturned;
      }
      // A module's own infer() that drops the graph at its end: its callers guard it, or are told.
      const bool unguarded = r.has_callers && !r.only_handed_on;
      if (e.unused_gradient && OfModule(r) && !unguarded &&
          LooksLikeEvaluation(FunctionName(body.function))) {
        e.needed = true;
        e.need = Need::kReturned;
      }
      // forward() that detaches what its part gives is for inference, whoever runs it.
      if (e.unused_gradient && world_.role(body.function) == Role::kForward && !unguarded &&
          !LooksLikeReference(e.module)) {
        e.needed = true;
        e.need = Need::kReturned;
      }
      // Handed to code nobody knows, which may differentiate it.
      if (escaped && !reference && !e.in_eval && !e.evaluation_function && !e.over_held_out) {
        e.needed = true;
        if (e.need == Need::kNone) e.need = Need::kHandedOn, e.needed_at = HandedOnAt(r, f.origin);
      }
      const bool evaluates = e.in_eval || e.evaluation_function || e.over_held_out;
      const LoopId loop = OutermostLoop(body, f.value);
      const bool repeats =
          std::find(seen.begin(), seen.end(), std::pair(e.module, loop)) != seen.end();
      e.dismissal =
          e.guarded  ? mode == GradMode::kOff ? Dismissal::kGradOff : Dismissal::kGradUnknown
          : e.needed ? Dismissal::kNeeded
          : e.frozen ? Dismissal::kFrozen
          : JudgedAtCall(r, f, e) ? Dismissal::kJudgedAtCall
          : repeats               ? Dismissal::kSameModule
          : f.direct && (body.LoopOf(f.value) == kNoLoop || !evaluates) && IsStatement(f.node)
              ? Dismissal::kDroppedOnce
              : Dismissal::kNone;
      if (e.dismissal == Dismissal::kSameModule) {
        const auto speaks = std::find_if(
            out_->forwards.rbegin(), out_->forwards.rend(), [&](const ForwardEvent& other) {
              return other.function == e.function && other.module == e.module &&
                     OutermostLoop(body, r.forwards[other.record].value) == loop;
            });
        if (speaks != out_->forwards.rend()) {
          speaks->also.push_back(e.record);
          const bool elsewhere = !(e.span == speaks->span);
          if (elsewhere) speaks->also_at.push_back(e.span);
        }
      }
      if (e.dismissal != Dismissal::kNone) {
        if (out_->dismissed.wanted) out_->dismissed.forwards.push_back(std::move(e));
        continue;
      }
      // Lost use of something that may not be a module: little to go by.
      // (self.actor_target, self.teacher_net: two words speak)
      const bool two_words = LooksLikeReference(e.module) && LooksLikeModule(e.module);
      if (f.by_name && !evaluates && !reference && !two_words) e.strength = Strength::kWeak;
      if (f.by_name && two_words) e.strength = std::max(e.strength, Strength::kMedium);
      if (!f.direct) {
        e.flow.push_back({e.span, "the module runs inside this call"});
        e.flow.push_back(StepAt(f.inner, "here, with grad on"));
      }
      for (const auto& [slot, eval] : r.mode_ops) {
        if (!eval || slot != f.module_slot) continue;
        for (std::uint32_t i = 0; i < body.instrs.size(); ++i) {
          if (body.instrs[i].op != Op::kCall) continue;
          const Call& c = body.calls[body.instrs[i].aux];
          if (c.receiver_slot == slot && c.method != sema::kNoName &&
              module().Text(c.method) == "eval") {
            e.flow.insert(e.flow.begin(),
                          {Span(c.node), "eval() changes layers, it does not turn grad off"});
            break;
          }
        }
        break;
      }
      seen.emplace_back(e.module, loop);
      out_->forwards.push_back(std::move(e));
    }
  }
}

}  // namespace torchleak::flow
