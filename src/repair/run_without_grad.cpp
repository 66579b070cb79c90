// Regions are tried from the one that reads best to the smallest: the whole function, the outermost
// loop, … the statement. A region in which something is differentiated is out; one in which that
// cannot be ruled out makes the fix unsafe.
#include <algorithm>
#include <array>

#include "flow/names.h"
#include "flow/world.h"
#include "repair/repair.h"
#include "repair/source_edits.h"

namespace torchleak::repair {
namespace {

using flow::FunctionResult;
using flow::Instr;
using flow::Op;
using flow::ValueId;
using sema::Index;
using syntax::Kind;
using syntax::kNoNode;
using syntax::NodeId;

enum class Verdict : std::uint8_t { kOut, kUnsafe, kSafe };

class Region {
 public:
  Region(const flow::FileEvents& events, const FunctionResult& r, NodeId node)
      : events_(events), r_(r), span_(events.module->tree().Span(node)) {}

  Verdict Judge() {
    for (const flow::Backward& b : r_.backwards) out_ |= Holds(b.node);
    for (const flow::GradOp& op : r_.grad_ops) out_ |= Holds(r_.body[op.value].node);
    for (const flow::CallEdge& edge : r_.calls) {
      if (Holds(r_.body[edge.value].node)) Callee(events_.world->result(edge.callee).summary);
    }
    for (std::size_t i = 0; i < r_.origins.size() && i < flow::kOverflowOrigin; ++i) {
      const flow::Origin& o = r_.origins[i];
      if (o.makes_graph && o.node != kNoNode && Holds(o.node)) Made(i);
    }
    for (std::uint32_t i = 0; i < r_.body.instrs.size(); ++i) {
      if (Holds(r_.body.instrs[i].node)) Instruction(r_.body.instrs[i]);
    }
    return out_ ? Verdict::kOut : unsure_ ? Verdict::kUnsafe : Verdict::kSafe;
  }

 private:
  bool Holds(NodeId node) const {
    if (node == kNoNode) return false;
    const text::Span s = events_.module->tree().Span(node);
    return span_.begin <= s.begin && s.end <= span_.end;
  }

  void Callee(const flow::Summary& summary) {
    out_ |= summary.runs_backward || summary.steps || summary.differentiates;
    unsure_ |= !summary.ready || summary.has_grad_ops;
  }

  // A graph that is made in there: who uses it?
  void Made(std::size_t origin) {
    out_ |= r_.differentiated.test(origin);
    unsure_ |= r_.escaped.test(origin) || r_.kept.test(origin);
    const bool seen = events_.callers_known && r_.has_callers && !r_.has_unknown_callers &&
                      !r_.result_escapes && !r_.result_differentiated;
    unsure_ |= r_.returned.test(origin) && !seen;
  }

  void Instruction(const Instr& in) {
    if (in.op == Op::kYield) out_ = true;  // the block would stay open while others run
    if (in.op != Op::kCall) return;
    const flow::Call& call = r_.body.calls[in.aux];
    if (call.fact != nullptr) {
      out_ |= (call.fact->effects & (facts::kBackward | facts::kStep | facts::kWantsGrad |
                                     facts::kGradOfInputs | facts::kTrainMode)) != 0 &&
              !IsEvalCall(call);
      return;
    }
    if (call.qualified) return;
    if (call.method == sema::kNoName && call.callee == flow::kNoValue) {  // does not parse
      unsure_ = true;
      return;
    }
    // Code nobody knows: does it look like training?
    static constexpr std::array<std::string_view, 6> kTraining{"train",    "fit",   "optimi",
                                                               "backward", "learn", "step"};
    const std::string_view name =
        call.method != sema::kNoName ? events_.module->Text(call.method) : NameOf(call.callee);
    unsure_ |= std::any_of(kTraining.begin(), kTraining.end(),
                           [&](auto word) { return name.find(word) != name.npos; }) &&
               name != "train";
    for (const flow::Argument& a : r_.body.Arguments(call)) {
      const flow::Kind kind = r_.values[Index(a.value)].kind;
      const bool model = kind == flow::Kind::kModule || kind == flow::Kind::kOptimizer;
      unsure_ |= model && !IsOfThisFile(call);
    }
  }

  std::string_view NameOf(ValueId callee) const {
    if (callee == flow::kNoValue || r_.body[callee].node == kNoNode) return {};
    return events_.module->tree().Text(r_.body[callee].node);
  }
  static bool IsEvalCall(const flow::Call& call) {
    return (call.fact->effects & ~(facts::kEvalMode | facts::kTrainMode)) == 0;
  }
  bool IsOfThisFile(const flow::Call& call) const {
    return events_.world->Resolve(r_.body, call).function != sema::kNoFunction;
  }

  const flow::FileEvents& events_;
  const FunctionResult& r_;
  text::Span span_;
  bool out_ = false, unsure_ = false;
};

// A region, and how sure it is that grad may be off there.
struct Chosen {
  NodeId node = kNoNode;
  Verdict verdict = Verdict::kOut;
};

class Guard {
 public:
  Guard(const flow::FileEvents& events, const flow::ForwardEvent& forward)
      : events_(events),
        forward_(forward),
        r_(events.world->result(forward.function)),
        tree_(events.module->tree()) {}

  std::optional<findings::Fix> Make() {
    std::vector<std::uint32_t> records{forward_.record};
    records.insert(records.end(), forward_.also.begin(), forward_.also.end());
    for (const std::uint32_t record : records) {
      const NodeId node = r_.forwards[record].node;
      const bool covered = std::any_of(chosen_.begin(), chosen_.end(),
                                       [&](const Chosen& c) { return Holds(c.node, node); });
      if (covered) continue;
      const Chosen choice = Choose(node);
      if (choice.node == kNoNode) return std::nullopt;
      std::erase_if(chosen_, [&](const Chosen& c) { return Holds(choice.node, c.node); });
      chosen_.push_back(choice);
    }
    return Write();
  }

 private:
  bool Holds(NodeId outer, NodeId inner) const {
    const text::Span o = tree_.Span(outer), i = tree_.Span(inner);
    return o.begin <= i.begin && i.end <= o.end;
  }

  bool Evaluates() const {
    return forward_.in_eval || forward_.evaluation_function || forward_.over_held_out;
  }

  Chosen Choose(NodeId node) const {
    const SourceEdits edits(*events_.module);
    std::vector<NodeId> regions;
    if (!Evaluates()) regions.push_back(edits.StatementOf(node));
    if (chosen_.empty()) regions.push_back(Function());
    for (const NodeId outer : Enclosing(edits.StatementOf(node))) regions.push_back(outer);
    for (const Verdict wanted : {Verdict::kSafe, Verdict::kUnsafe}) {
      for (const NodeId region : regions) {
        if (region != kNoNode && Region(events_, r_, region).Judge() == wanted)
          return {region, wanted};
      }
    }
    return {};
  }

  // The definition, when a decorator is right for it.
  NodeId Function() const {
    const sema::Function& f = (*events_.module)[forward_.function];
    const bool plain = tree_.kind(f.node) == Kind::kFunctionDefinition && !f.is_async &&
                       !f.is_generator && !r_.body.has_yield;
    const bool forward = events_.world->role(forward_.function) != flow::Role::kPlain;
    const bool all = events_.module->Text(f.name) == "main";  // too much is in there
    return plain && !forward && !all ? f.node : kNoNode;
  }

  // The statement, and the loops around it within the function; outermost first.
  std::vector<NodeId> Enclosing(NodeId statement) const {
    std::vector<NodeId> out;
    const NodeId stop = (*events_.module)[forward_.function].node;
    const SourceEdits edits(*events_.module);
    for (NodeId at = statement; at != kNoNode && at != stop;
         at = edits.StatementOf(tree_.Parent(at))) {
      const Kind kind = tree_.kind(at);
      if (kind == Kind::kFunctionDefinition || kind == Kind::kClassDefinition ||
          kind == Kind::kDecoratedDefinition)
        break;
      const bool readable =
          out.empty() || kind == Kind::kForStatement || kind == Kind::kWhileStatement;
      if (readable) out.push_back(at);
    }
    std::reverse(out.begin(), out.end());
    return out;
  }

  std::optional<findings::Fix> Write() const {
    SourceEdits edits(*events_.module);
    const std::string off = edits.Torch() + ".no_grad()";
    bool safe = forward_.strength >= flow::Strength::kMedium, whole = false;
    for (const Chosen& c : chosen_) {
      const bool decorate = tree_.kind(c.node) == Kind::kFunctionDefinition;
      whole |= decorate;
      const bool done =
          decorate ? edits.Decorate(c.node, "@" + off) : edits.Wrap(c.node, c.node, off);
      if (!done) return std::nullopt;
      safe &= c.verdict == Verdict::kSafe && !MakesLoss(c.node) && !InAutocast(c.node);
    }
    findings::Fix fix;
    fix.applicability = safe ? findings::Applicability::kSafe : findings::Applicability::kUnsafe;
    fix.message = whole ? "turn grad off for the whole function with `@" + off + "`"
                        : "turn grad off here with `with " + off + ":`";
    fix.edits = edits.Take();
    return fix;
  }

  // autocast() keeps the weights that it has cast until its block ends. Those that it casts without
  // grad would serve the training forward of the same block, too, and its gradients be lost.
  bool InAutocast(NodeId region) const {
    for (NodeId at = tree_.Parent(region); at != kNoNode; at = tree_.Parent(at)) {
      if (tree_.kind(at) == Kind::kFunctionDefinition) return false;
      if (tree_.kind(at) != Kind::kWithStatement) continue;
      const NodeId body = tree_.Child(at, syntax::Field::kBody);
      const text::Span whole = tree_.Span(at);
      const std::size_t head =
          body == kNoNode ? std::string_view::npos : tree_[body].begin - whole.begin;
      if (tree_.Text(at).substr(0, head).find("autocast") != std::string_view::npos) return true;
    }
    return false;
  }

  // A loss that nothing differentiates: perhaps a backward() is missing.
  bool MakesLoss(NodeId region) const {
    if (Evaluates()) return false;
    for (const flow::Call& call : r_.body.calls) {
      const text::Span at = tree_.Span(call.node), in = tree_.Span(region);
      if (at.begin < in.begin || in.end < at.end || call.callee == flow::kNoValue ||
          r_.body[call.callee].node == kNoNode)
        continue;
      const std::string_view name = tree_.Text(r_.body[call.callee].node);
      if (name.find("loss") != name.npos || flow::LooksLikeLoss(name)) return true;
    }
    return false;
  }

  const flow::FileEvents& events_;
  const flow::ForwardEvent& forward_;
  const FunctionResult& r_;
  const syntax::Tree& tree_;
  std::vector<Chosen> chosen_;
};

}  // namespace

std::optional<findings::Fix> RunWithoutGrad(const flow::FileEvents& events,
                                            const flow::ForwardEvent& forward) {
  if (forward.record == flow::kNoKey || events.world == nullptr) return std::nullopt;
  return Guard(events, forward).Make();
}

}  // namespace torchleak::repair
