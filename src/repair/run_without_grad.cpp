// Regions are tried from the one that reads best to the smallest: the whole function, the outermost
// loop, … the statement. A region in which something is differentiated is out; one in which that
// cannot be ruled out makes the fix unsafe.
#include <algorithm>

#include "flow/known_code.h"
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
      : events_(events), module_(*events.module), r_(r), span_(module_.tree().Span(node)) {}

  Verdict Judge() {
    const sema::Function& function = module_[r_.body.function];
    unsure_ |= events_.forwards_do_more || function.is_async;
    for (const flow::Backward& b : r_.backwards) out_ |= Holds(b.node);
    for (const flow::GradOp& op : r_.grad_ops) out_ |= Holds(r_.body[op.value].node);
    for (const flow::CallEdge& edge : r_.calls) {
      if (!Holds(r_.body[edge.value].node)) continue;
      Callee(events_.world->result(edge.callee).summary);
      unsure_ |= MayBeOverridden(edge.callee);
    }
    for (std::size_t i = 0; i < r_.origins.size() && i < flow::kOverflowOrigin; ++i) {
      const flow::Origin& o = r_.origins[i];
      if (o.makes_graph && Holds(o.node)) Made(i);
    }
    for (const flow::Store& s : r_.stores) {
      unsure_ |= Holds(s.node) && s.slot != flow::kNoSlot && IsShared(s.slot);
    }
    for (std::uint32_t i = 0; i < r_.body.instrs.size(); ++i) {
      if (Holds(r_.body.instrs[i].node)) Instruction(ValueId{i});
    }
    return out_ ? Verdict::kOut : unsure_ ? Verdict::kUnsafe : Verdict::kSafe;
  }

 private:
  bool Holds(NodeId node) const {
    if (node == kNoNode) return false;
    const text::Span s = module_.tree().Span(node);
    return span_.begin <= s.begin && s.end <= span_.end;
  }

  // Read by code that runs at another time: a closure, whoever has the object.
  bool IsShared(flow::SlotId slot) const {
    return !flow::IsPrivate(module_, r_.body.slots[Index(slot)]);
  }

  // The callers that see the result are all in sight, and none of them differentiates it.
  bool ResultIsSeen() const {
    return events_.callers_known && r_.has_callers && !r_.has_unknown_callers &&
           !r_.result_escapes && !r_.result_differentiated;
  }

  void Callee(const flow::Summary& summary) {
    out_ |= summary.runs_backward || summary.steps || summary.differentiates;
    unsure_ |= !summary.ready || summary.has_grad_ops || summary.runs_unknown;
  }

  // self.prepare(x): a subclass may have its own.
  bool MayBeOverridden(sema::FunctionId callee) const {
    const sema::ClassId cls = module_[callee].class_id;
    if (cls == sema::kNoClass || module_.Text(module_[callee].name) == "__init__") return false;
    if (!events_.callers_known) return true;
    for (std::uint32_t i = 0; i < module_.class_count(); ++i) {
      const sema::ClassId other{i};
      if (other == cls) continue;
      const auto line = module_.Linearize(other);
      const bool derived = std::find(line.begin(), line.end(), cls) != line.end();
      if (derived && module_.FindMethod(other, module_.Text(module_[callee].name)) != callee)
        return true;
    }
    return false;
  }

  // A graph that is made in there: who uses it?
  void Made(std::size_t origin) {
    out_ |= r_.differentiated.test(origin);
    for (const flow::Store& s : r_.stores) {
      unsure_ |= s.what.origins.test(origin) && s.slot != flow::kNoSlot && IsShared(s.slot);
    }
    for (const Instr& in : r_.body.instrs) {
      unsure_ |= in.op == Op::kStore && IsShared(flow::SlotId{in.aux}) &&
                 r_.values[Index(r_.body.Operand(in, 0))].origins.test(origin);
    }
    unsure_ |= r_.escaped.test(origin) || r_.kept.test(origin);
    unsure_ |= r_.returned.test(origin) && !ResultIsSeen();
  }

  // A number, or a tuple of numbers.
  bool GivesNumbers(ValueId id) const {
    const Instr& in = r_.body[id];
    if (in.op != Op::kTuple) return flow::IsPlain(r_.values[Index(id)]);
    const auto parts = r_.body.Operands(in);
    return std::all_of(parts.begin(), parts.end(),
                       [&](ValueId part) { return flow::IsPlain(r_.values[Index(part)]); });
  }

  void Instruction(ValueId id) {
    const Instr& in = r_.body[id];
    switch (in.op) {
      case Op::kYield:  // the block would stay open while others run
        out_ = true;
        return;
      case Op::kReturn:
        unsure_ |= in.argc > 0 && !GivesNumbers(r_.body.Operand(in, 0)) && !ResultIsSeen();
        return;
      case Op::kStore:
        unsure_ |= IsShared(flow::SlotId{in.aux}) &&
                   !flow::IsPlain(r_.values[Index(r_.body.Operand(in, 0))]);
        return;
      case Op::kSetAttr:
        unsure_ |= !flow::IsPlain(r_.values[Index(r_.body.Operand(in, 1))]);
        return;
      case Op::kUnary:
        out_ |= module_.tree().Text(in.node).starts_with("await");
        return;
      case Op::kLoad:  // arithmetic on weights makes a graph of its own
        Attribute(r_.body.slots[in.aux].attribute);
        return;
      case Op::kGetAttr:
        Attribute(sema::NameId{in.aux});
        return;
      case Op::kCall:
        return Call(id);
      default:
        return;
    }
  }

  void Attribute(sema::NameId name) {
    const std::string_view text = module_.Text(name);
    unsure_ |= text == "weight" || text == "bias";
  }

  void Call(ValueId id) {
    const flow::Call& call = r_.body.calls[r_.body[id].aux];
    unsure_ |= flow::RunsUnknownCode(*events_.world, r_, id);
    if (call.fact == nullptr) return;
    constexpr std::uint32_t kNeedsGrad =
        facts::kBackward | facts::kStep | facts::kWantsGrad | facts::kGradOfInputs;
    out_ |= (call.fact->effects & kNeedsGrad) != 0;
    unsure_ |= call.fact->name == "torch.nn.Parameter" || call.fact->name.ends_with(".Parameter");
  }

  const flow::FileEvents& events_;
  const sema::Module& module_;
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
    Chosen best;  // the first that is safe, else the first that is not out
    for (const NodeId region : regions) {
      if (region == kNoNode) continue;
      const Verdict verdict = Region(events_, r_, region).Judge();
      if (verdict == Verdict::kSafe) return {region, verdict};
      if (verdict == Verdict::kUnsafe && best.node == kNoNode) best = {region, verdict};
    }
    return best;
  }

  // The definition, when a decorator is right for it.
  NodeId Function() const {
    const sema::Function& f = (*events_.module)[forward_.function];
    const bool plain = tree_.kind(f.node) == Kind::kFunctionDefinition && !f.is_async &&
                       !f.is_generator && !r_.body.has_yield;
    const bool forward = events_.world->role(forward_.function) != flow::Role::kPlain;
    const bool all = events_.module->Text(f.name) == "main";  // too much is in there
    // What compiles the function may not take the decorator.
    const bool compiled =
        std::any_of(f.decorators.begin(), f.decorators.end(), [&](NodeId decorator) {
          const std::string_view text = tree_.Text(decorator);
          return text.find("jit") != text.npos || text.find("script") != text.npos;
        });
    return plain && !forward && !all && !compiled ? f.node : kNoNode;
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
    const SourceEdits::Name torch = edits.Torch(chosen_.front().node);
    if (torch.text.empty()) return std::nullopt;
    const std::string off = torch.text + ".no_grad()";
    bool safe = torch.sure && RunsModules(), whole = false;
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

  // What is called is known to be a module. What most likely is one may be a class or a function as
  // well, and may need grad.
  bool RunsModules() const {
    const auto strong = [&](std::uint32_t record) {
      return r_.forwards[record].strength == flow::Strength::kStrong;
    };
    return forward_.strength == flow::Strength::kStrong && strong(forward_.record) &&
           std::all_of(forward_.also.begin(), forward_.also.end(), strong);
  }

  // autocast() keeps the weights that it has cast until its block ends. Whether those that it casts
  // without grad serve the training forward of the same block, too, depends on the release of
  // torch.
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
