#include "engine/silence.h"

#include <fmt/format.h>

#include "text/notebook.h"

namespace torchleak::engine {
namespace {

using flow::Bound;
using flow::Cleared;
using flow::Dismissal;
using flow::Graph;
using flow::Growth;
using flow::Need;
using Reasons = std::vector<std::string>;

constexpr std::string_view kInTest =
    "the file holds unit tests: what their short runs keep does no harm";

std::string At(const text::Source& source, text::Span span) {
  return span.end == 0 ? std::string{} : " (" + text::LineName(source, span.begin) + ")";
}

void AddNeed(const flow::EventBase& e, const text::Source& source, Reasons* out) {
  const std::string at = At(source, e.needed_at);
  switch (e.need) {
    case Need::kNone:
      break;
    case Need::kBackward:
      out->push_back("a backward() walks its graph later" + at);
      break;
    case Need::kCallersBackward:
      out->push_back("it is returned, and a caller in this file runs backward() on the result");
      break;
    case Need::kAttributeBackward:
      out->push_back("somewhere in this file backward() runs on what this attribute holds");
      break;
    case Need::kHandedOn:
      out->push_back("it is handed to code that is not known here" + at +
                     ", which may run backward() on it");
      break;
    case Need::kReturned:
      out->push_back(
          "it is returned to callers that cannot all be seen, and one of them may run backward() "
          "on it");
      break;
    case Need::kAttributeHandedOn:
      out->push_back(
          "what this attribute holds is returned or handed on elsewhere, where backward() may run "
          "on it");
      break;
    case Need::kInputGradient:
      out->push_back("this function asks for the gradient of an input (an attack, an attribution)");
      break;
  }
}

void AddBound(const flow::KeptEvent& e, const text::Source& source, Reasons* out) {
  switch (e.bound) {
    case Bound::kNone:
      break;
    case Bound::kMaxLength:
      out->push_back("the container drops old elements by itself (maxlen)");
      break;
    case Bound::kFewTurns:
      out->push_back("the loop has few turns, at a glance: it cannot grow much");
      break;
    case Bound::kSmallGuard:
      out->push_back("it is emptied at the end of an episode or at a certain length" +
                     At(source, e.cleared_at));
      break;
    case Bound::kHookRemoved:
      out->push_back(
          "the function that registers the hook removes it again, and the place is its own");
      return;
    case Bound::kResetByCallee:
      out->push_back("the function that keeps it also empties the place");
      break;
  }
}

bool AddDismissal(Dismissal dismissal, Reasons* out) {
  switch (dismissal) {
    case Dismissal::kNoTensor:
      out->push_back("nothing says that what is kept is a tensor with a graph or on the device");
      return true;
    case Dismissal::kCallersValue:
      out->push_back(
          "it is an argument: what the callers pass decides, and that is judged at each call");
      return true;
    case Dismissal::kGenerator:
      out->push_back("a generator hands out one element at a time and keeps none");
      return true;
    case Dismissal::kDiesInTime:
      out->push_back("the place is made anew in each turn or call, and dies with it");
      return true;
    case Dismissal::kTooManyObjects:
      out->push_back("the function has more containers than can be followed: this one is left out");
      return true;
    case Dismissal::kGradOff:
      out->push_back("grad is off here");
      return true;
    case Dismissal::kGradUnknown:
      out->push_back("whether grad is on depends on a flag, which is taken for a guard");
      return true;
    case Dismissal::kFrozen:
      out->push_back("the parameters of the module need no gradient, so it makes no graph");
      return true;
    case Dismissal::kSameModule:
      out->push_back("an earlier call of the same module in this function speaks for it");
      return true;
    case Dismissal::kJudgedAtCall:
      out->push_back(
          "the module is handed in: the calls that run it in eval mode are told instead");
      return true;
    case Dismissal::kDroppedOnce:
      out->push_back("its output is thrown away at once, and the graph with it");
      return true;
    case Dismissal::kForeignGraph:
      out->push_back(
          "the graph comes from outside this function, and whoever made it may walk it again");
      return true;
    case Dismissal::kNone:
    case Dismissal::kNeeded:
    case Dismissal::kWalkedAgain:
      break;
  }
  return false;
}

Reasons OrElse(Reasons reasons, std::string_view otherwise) {
  if (reasons.empty()) reasons.emplace_back(otherwise);
  return reasons;
}

}  // namespace

std::string WhatHappened(const flow::KeptEvent& e) {
  const std::string where = e.where.empty() ? std::string("a container") : "`" + e.where + "`";
  if (e.dismissal == Dismissal::kCallersValue)
    return fmt::format("{} takes in what the caller passes", where);
  if (e.dismissal == Dismissal::kNoTensor) return fmt::format("`{}` is kept in {}", e.what, where);
  const std::string_view graph = e.graph == Graph::kLive ? "with its live graph"
                                 : e.graph == Graph::kFreed
                                     ? "with its graph, whose activations are freed"
                                     : "without a graph";
  if (e.growth == Growth::kChain)
    return fmt::format("{} is built on what it held before, {}", where, graph);
  const std::string_view how = e.growth == Growth::kGrows ? "is added to" : "is kept in";
  return fmt::format("`{}` {} {}, {}", e.what, how, where, graph);
}

std::string WhatHappened(const flow::ForwardEvent& e) {
  return fmt::format("the module `{}` runs", e.module);
}

std::string WhatHappened(const flow::RetainedEvent&) {
  return "`retain_graph=True` keeps the graph after this backward";
}

std::string WhatHappened(const flow::HookEvent&) { return "a hook is registered"; }

Reasons WhySilent(const flow::KeptEvent& e, const text::Source& source) {
  Reasons out;
  // What is emptied in time dies in time, too, and the place that empties it says more.
  const bool emptied = e.dismissal == Dismissal::kDiesInTime && e.cleared == Cleared::kEachTurn;
  if (!emptied && AddDismissal(e.dismissal, &out)) return out;
  if (e.graph == Graph::kNone && e.residency != flow::Residency::kDevice) {
    const bool host = e.residency == flow::Residency::kHost;
    out.emplace_back(
        host ? "what is kept carries no graph and lies on the host"
             : "what is kept carries no graph, and nothing says that it lies on the device");
    return out;
  }
  if (e.graph == Graph::kNone)
    out.emplace_back("what is kept carries no graph, only memory on the device");
  AddBound(e, source, &out);
  if (e.cleared == Cleared::kEachTurn) {
    out.push_back("the place is emptied or set anew in time, in each turn, step or call" +
                  At(source, e.cleared_at));
  }
  AddNeed(e, source, &out);
  if (e.in_test) out.emplace_back(kInTest);
  const bool local =
      e.place == flow::Place::kLocalContainer || e.place == flow::Place::kLocalVariable;
  if ((local || e.graph == Graph::kNone) && e.in_loop && !e.over_data) {
    out.emplace_back(
        "its loop goes over layers or parts of one value, not over batches or steps: what it "
        "gathers is "
        "used at once");
  } else if (local && e.in_forward) {
    out.emplace_back("it is gathered within forward, and dies with the call");
  }
  if (e.growth == Growth::kSlot) {
    out.push_back(
        "the place holds one value: each store replaces the one before, nothing piles up");
  }
  if (e.growth == Growth::kSlot && e.bare_argument)
    out.push_back("it is an argument of the call, kept as it came");
  if (e.growth == Growth::kSlot && e.read_elsewhere)
    out.push_back("other code reads it: it is kept on purpose");
  if (e.place == flow::Place::kParameter && !e.in_loop) {
    out.push_back(
        "it is stored once, in a container of the caller, who may run backward() on it: callers "
        "decide");
  }
  return OrElse(std::move(out), "no rule covers this case");
}

Reasons WhySilent(const flow::ForwardEvent& e, const text::Source& source) {
  Reasons out;
  const bool decided = AddDismissal(e.dismissal, &out);
  AddNeed(e, source, &out);
  if (decided || !out.empty()) return out;
  if (!e.in_eval && !e.evaluation_function && !e.over_held_out) {
    out.emplace_back(
        "nothing says that it runs for evaluation: no .eval() on every path, no function name such "
        "as "
        "evaluate or predict, no loop over held-out data");
    if (!e.unused_gradient)
      out.emplace_back("its output leaves this function, where its gradient may be wanted");
  }
  if (!e.repeated) out.emplace_back("it runs once, not in a loop");
  if (e.in_test) out.emplace_back(kInTest);
  return OrElse(std::move(out), "no rule covers this case");
}

Reasons WhySilent(const flow::RetainedEvent& e, const text::Source& source) {
  Reasons out;
  if (AddDismissal(e.dismissal, &out)) return out;
  AddNeed(e, source, &out);
  return OrElse(std::move(out), "no rule covers this case");
}

Reasons WhySilent(const flow::HookEvent& e, const text::Source&) {
  Reasons out;
  if (e.in_test) out.emplace_back(kInTest);
  if (e.removed) out.emplace_back("its handle is removed");
  if (e.returned) out.emplace_back("its handle is returned: the caller can remove it");
  if (e.handed_on)
    out.emplace_back("its handle is handed to code that is not known here and may remove it");
  if (e.on_short_lived_tensor)
    out.emplace_back("it hangs on a tensor that dies soon, and dies with it");
  if (e.opt_in && !e.in_loop)
    out.emplace_back("it is registered only when an argument asks for it: a tool for debugging");
  const bool again = e.in_loop || e.in_forward || e.owner_made_in_loop;
  if (!again && e.in_init)
    out.emplace_back("it is registered once, for an object that lives as long as its module");
  if (!again && e.stored) out.emplace_back("its handle is stored, and it is registered once");
  if (!again && out.empty()) out.emplace_back("it is registered once, and holds on to nothing");
  return OrElse(std::move(out), "no rule covers this case");
}

}  // namespace torchleak::engine
