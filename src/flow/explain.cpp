// `why`: the values of one statement in the order in which they are written, then what it does.
#include "flow/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "flow/explain_internal.h"

namespace torchleak::flow {

using syntax::kNoNode;
using syntax::NodeId;

namespace {

constexpr std::size_t kMaxValues = 12, kMaxEffects = 12;
// Tables of numbers may fill a line with thousands; nobody reads more than the first of them.
constexpr std::size_t kMaxInstructions = 400;
constexpr std::size_t kMaxSubject = 240;  // bytes, of an entry for many things

bool Inside(text::Span inner, text::Span outer) {
  return outer.begin <= inner.begin && inner.end <= outer.end;
}

}  // namespace

std::vector<ValueId> Explainer::Within(const FunctionResult& r, text::Span span) const {
  std::vector<ValueId> out;
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
    const NodeId node = r.body.instrs[i].node;
    if (node == kNoNode) continue;
    // A statement's own instructions carry the whole of it, body and all.
    const bool header = r.body.instrs[i].op == Op::kStore && tree().Span(node).begin == span.begin;
    if (header || Inside(tree().Span(node), span)) out.push_back(ValueId{i});
  }
  return out;
}

// The loops around, the nearest first; a function without one may be called in one.
void Explainer::Around(const FunctionResult& r, ValueId at, RowExplanation* out) const {
  out->known.push_back({"grad mode", GradModeAt(r, at)});
  std::string loops;
  for (LoopId l = r.body.LoopOf(at); l != kNoLoop; l = r.body.loops[Index(l)].parent) {
    loops +=
        (loops.empty() ? "in each turn of " : ", within ") + Header(r.body.loops[Index(l)].node);
  }
  if (!loops.empty()) {
    const LoopId nearest = r.body.LoopOf(at);
    out->known.push_back({"runs", loops, HeaderOf(r.body.loops[Index(nearest)].node)});
  } else if (r.called_in_loop) {
    out->known.push_back({"runs", fmt::format("again and again: {} is called in a loop ({})",
                                              Name(r.body.function), CallPlaces(r.body.function))});
  }
}

void Explainer::Statement(const FunctionResult& r, RowExplanation* out) const {
  const std::vector<ValueId> here = Within(r, out->span);
  std::vector<ValueId> reached;
  for (ValueId id : here) {
    if (r.values[Index(id)].Reached()) reached.push_back(id);
  }
  if (!here.empty() && reached.empty()) {
    out->note =
        "This line is never reached: every path leaves before it (return, raise, break, continue, "
        "while True).";
    return;
  }
  if (reached.empty()) return;
  if (std::none_of(out->known.begin(), out->known.end(),
                   [](const Remark& k) { return k.subject == "grad mode"; })) {
    Around(r, reached.front(), out);
  }
  std::stable_sort(reached.begin(), reached.end(), [&](ValueId a, ValueId b) {
    return tree().Span(r.body[a].node).begin < tree().Span(r.body[b].node).begin;
  });
  if (reached.size() > kMaxInstructions) reached.resize(kMaxInstructions);
  Values(r, reached, out);
  for (ValueId id : reached) {
    if (out->happens.size() >= kMaxEffects) break;
    std::string effect = Effect(r, id);
    if (effect.empty()) continue;
    Add({builder_.Short(r.body[id].node), std::move(effect)}, &out->happens);
  }
}

void Explainer::Add(Remark remark, std::vector<Remark>* out) {
  const std::string& subject = remark.subject;
  auto same = std::find_if(out->begin(), out->end(), [&](const Remark& k) {
    return k.text == remark.text && k.aside == remark.aside;
  });
  if (same == out->end()) {
    out->push_back(std::move(remark));
  } else if (same->subject.size() > kMaxSubject) {
    if (!same->subject.ends_with("…")) same->subject += ", …";
  } else if (same->subject.find(subject) == std::string::npos) {
    same->subject += ", " + subject;
  }
}

bool Explainer::NamesMethod(const FunctionResult& r, ValueId id) const {
  const NodeId parent = tree().Parent(r.body[id].node);
  if (parent == kNoNode || tree().kind(parent) != syntax::Kind::kCall) return false;
  if (tree().kind(r.body[id].node) != syntax::Kind::kAttribute) return false;
  const Value& v = r.values[Index(id)];
  return tree().Child(parent, syntax::Field::kFunction) == r.body[id].node &&
         !v.Is(Kind::kModule) && !v.Is(Kind::kInstance) && !v.Is(Kind::kClass);
}

// What is read, in the order of the source, then what is set: as the line runs.
void Explainer::Values(const FunctionResult& r, const std::vector<ValueId>& here,
                       RowExplanation* out) const {
  std::vector<std::string> told;
  std::vector<std::pair<std::string, std::string>>
      graphs;  // words, and the subject they were told of
  auto add = [&](std::string subject, ValueId id, const std::string& more, std::string aside) {
    if (std::find(told.begin(), told.end(), subject) != told.end() || told.size() >= kMaxValues)
      return;
    told.push_back(subject);
    Description d = Describe(r, id);
    auto same = std::find_if(graphs.begin(), graphs.end(),
                             [&](const auto& g) { return g.first == d.graph; });
    if (same != graphs.end()) {
      d.graph = "its graph is that of `" + same->second + "`";
    } else if (d.graph.starts_with("carries")) {
      graphs.emplace_back(d.graph, subject);
    }
    Add({std::move(subject), d.Whole() + more, tree().Span(r.body[id].node), AboutOf(r, id),
         std::move(aside)},
        &out->known);
  };
  auto is_stored = [&](ValueId id) {
    return std::any_of(here.begin(), here.end(), [&](ValueId other) {
      return r.body[other].op == Op::kStore && r.body.Operand(r.body[other], 0) == id;
    });
  };
  for (ValueId id : here) {
    const Instr& in = r.body[id];
    const Value& v = r.values[Index(id)];
    if (v.Has(kSelfObject) || NamesMethod(r, id)) continue;
    if (in.op == Op::kLoad) {
      add(builder_.SlotText(r.body, SlotId{in.aux}), id, {}, SetAt(r, id));
    } else if (in.op == Op::kCall || in.op == Op::kGetAttr || in.op == Op::kGetItem) {
      // Calls that say nothing, and those whose result has a name, are told elsewhere.
      const bool plain = v.Is(Kind::kUnknown) || v.Is(Kind::kFunction) || v.Is(Kind::kNone);
      if (!plain && !is_stored(id)) add(builder_.Short(in.node), id, {}, {});
    }
  }
  for (ValueId id : here) {
    const Instr& in = r.body[id];
    if (in.op != Op::kStore || in.aux8 >= 4) continue;
    const std::string name = builder_.SlotText(r.body, SlotId{in.aux});
    const bool read = std::find(told.begin(), told.end(), name) != told.end();
    const ValueId stored = r.body.Operand(in, 0);
    const bool element = r.body[stored].op == Op::kIterate || r.body[stored].op == Op::kUnpack;
    if (read && element) continue;  // the variable of a comprehension
    add(read ? name + " after" : name, stored, Outlives(r, id), {});
  }
}

// Whether a running value lives on beyond the loop around it.
std::string Explainer::Outlives(const FunctionResult& r, ValueId id) const {
  const flow::Store* store = StoreAt(r, id);
  if (store == nullptr || store->kind != StoreKind::kChain) return {};
  KeptEvent event;
  const LoopId loop = builder_.GrowingLoop(r, *store, &event);
  if (loop == kNoLoop) return {};
  std::string out = "; a running value that lives on beyond each turn of " +
                    Header(r.body.loops[Index(loop)].node);
  if (event.cleared_at.end != 0) return out + ", set anew at " + Line(event.cleared_at);
  return out + " and is set anew nowhere in it";
}

std::string Explainer::SetAt(const FunctionResult& r, ValueId id) const {
  const Instr& in = r.body[id];
  const Slot& slot = r.body.slots[in.aux];
  const Value& v = r.values[Index(id)];
  if (slot.depth != 0 || !slot.is_local || v.Is(Kind::kFunction) || v.Is(Kind::kClass) ||
      v.Is(Kind::kContainer) || v.Is(Kind::kNumber)) {
    return {};
  }
  if (module()[slot.root].is_param && StoresTo(r, SlotId{in.aux}).empty()) return {};
  std::vector<NodeId> nodes;
  for (ValueId s : StoresTo(r, SlotId{in.aux})) nodes.push_back(r.body[s].node);
  return nodes.empty() ? std::string{} : "; set at " + Lines(nodes);
}

void Explainer::Function(sema::FunctionId id, RowExplanation* out) const {
  const FunctionResult& r = world_.result(id);
  const std::string callers = CallPlaces(id);
  out->function = id;
  switch (world_.role(id)) {
    case Role::kForward:
      out->known.push_back(
          {"role", "forward of a module: what it leaves on the module outlives the call"});
      break;
    case Role::kTrainingStep:
      out->known.push_back(
          {"role", "a framework calls it each step and differentiates what it returns"});
      break;
    case Role::kForwardHook:
    case Role::kForwardPreHook:
      out->known.push_back({"role", "a forward hook: it is handed activations with their graph"});
      break;
    case Role::kBackwardHook:
    case Role::kTensorHook:
      out->known.push_back({"role", "a backward hook: it sees gradients"});
      break;
    case Role::kPlain:
      break;
  }
  const bool by_framework = world_.role(id) != Role::kPlain && callers.empty();
  std::string called = by_framework      ? "by torch or a framework on top of it"
                       : callers.empty() ? "nowhere in sight"
                                         : "at " + callers;
  if (r.has_unknown_callers) called += "; also handed on as a value, so others may call it";
  out->known.push_back({"called", std::move(called)});
  out->known.push_back({"grad mode", GradModeOf(r)});
  if (!r.analyzed) return;
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
    const Instr& in = r.body.instrs[i];
    if (in.op != Op::kParam || r.values[i].Has(kSelfObject)) continue;
    Add({std::string(Text(module()[id].params[in.aux].name)),
         Describe(r, ValueId{i}).Whole(),
         {},
         AboutOf(r, ValueId{i})},
        &out->known);
  }
}

RowExplanation Explainer::Row(std::uint32_t row) const {
  RowExplanation out;
  out.note = Nowhere(row);
  const text::Span line = source_.LineSpan(row);
  const std::string_view text = source_.Text(line);
  std::uint32_t first = line.begin, last = line.begin;
  bool any = false;
  for (std::uint32_t i = line.begin; i < line.end; ++i) {
    if (std::string_view(" \t\f\r\n;").find(text[i - line.begin]) != std::string_view::npos)
      continue;
    if (std::any_of(tree().comments().begin(), tree().comments().end(),
                    [&](const text::Span& c) { return c.begin <= i && i < c.end; }))
      break;
    if (!any) first = i;
    any = true;
    last = i;
  }
  const NodeId from = any ? StatementAt(first) : kNoNode, to = any ? StatementAt(last) : kNoNode;
  if (!out.note.empty() || from == kNoNode) return out;
  out.span = HeaderOf(from);
  if (to != kNoNode) out.span.end = std::max(out.span.end, HeaderOf(to).end);
  NodeId definition = from;
  if (tree().kind(from) == syntax::Kind::kDecorator) {
    for (NodeId c : tree().Children(tree().Parent(from))) definition = c;
  }
  out.function = module().FunctionAt(from);
  const FunctionResult& r = world_.result(out.function);
  if (tree().kind(definition) == syntax::Kind::kFunctionDefinition) {
    out.is_definition = true;
    Function(module().FunctionOf(definition), &out);
    if (!world_.result(out.function).over_budget) return out;
  }
  if (world_.result(out.function).over_budget || r.over_budget) {
    out.note = fmt::format(
        "{} is too large to be analysed: nothing in it is known, and nothing is reported.",
        Name(out.function));
    return out;
  }
  if (!r.analyzed) return out;
  Statement(r, &out);
  for (const FunctionResult& other : world_.results()) {  // lambdas on the line
    const sema::Function& f = module()[other.body.function];
    if (f.is_lambda && other.analyzed && other.body.function != out.function &&
        Inside(tree().Span(f.node), out.span)) {
      Statement(other, &out);
    }
  }
  return out;
}

RowExplanation ExplainRow(const FileEvents& events, const text::Source& source, std::uint32_t row) {
  return Explainer(events, source).Row(row);
}

}  // namespace torchleak::flow
