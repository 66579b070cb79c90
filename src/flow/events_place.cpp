// What events of all kinds ask of a place: how it reads, whether a test holds it, what its loops go
// over, and whether its conditions come true in time.
#include <algorithm>
#include <array>
#include <bit>

#include "flow/events_internal.h"
#include "flow/names.h"

namespace torchleak::flow {

using syntax::kNoNode;

std::string EventBuilder::Short(syntax::NodeId node) const {
  if (node == kNoNode) return {};
  std::string out;
  for (char c : Text(node)) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
    if (c == ' ' &&
        (out.empty() || std::string_view(" ([{").find(out.back()) != std::string_view::npos))
      continue;
    if ((c == ')' || c == ']' || c == '}') && out.ends_with(' ')) out.pop_back();
    out.push_back(c);
  }
  constexpr std::size_t kMax = 48;
  if (out.size() <= kMax) return out;
  std::size_t cut = kMax - 1;
  while (cut > 0 && (static_cast<unsigned char>(out[cut]) & 0xC0) == 0x80) --cut;
  return out.substr(0, cut) + "…";
}

Step EventBuilder::StepAt(const Site& site, std::string message) {
  return {site.span, std::move(message), site.path == nullptr ? std::string{} : *site.path};
}

std::string_view EventBuilder::FunctionName(sema::FunctionId f) const {
  const sema::Function& fn = module()[f];
  return fn.name == sema::kNoName ? std::string_view{} : module().Text(fn.name);
}

text::Span EventBuilder::HeaderSpan(syntax::NodeId statement) const {
  text::Span span = Span(statement);
  std::string_view text = Text(statement);
  std::size_t line = text.find('\n');
  if (line != text.npos) span.end = span.begin + static_cast<std::uint32_t>(line);
  return span;
}

Graph EventBuilder::GraphOf(const FunctionResult& r, const Origins& origins, Strength* strength,
                            bool* in_eval) const {
  Graph graph = Graph::kNone;
  bool all_eval = true;
  for (std::size_t i = 0; i < r.origins.size() && i < kOverflowOrigin; ++i) {
    if (!origins.test(i)) continue;
    const Origin& o = r.origins[i];
    if (!o.makes_graph) continue;
    if (o.mode == GradMode::kInherit && r.entry_mode == GradMode::kOff) continue;
    if (o.mode == GradMode::kUnknown && !r.differentiated.test(i)) continue;
    *strength = std::max(*strength, o.strength);
    all_eval &= o.in_eval;
    const bool freed = r.freed.test(i) || o.freed_in_callee;
    graph = std::max(graph, freed ? Graph::kFreed : Graph::kLive);
  }
  *in_eval = graph != Graph::kNone && all_eval;
  return graph;
}

// Does a reset under this guard, seen from the loop, happen in time? `x % 20 == 0` with a small
// constant and the end of an episode do; `step % log_every == 0` and `x is None` do not.
bool EventBuilder::GuardCounts(const Body& body, std::uint32_t guard, LoopId loop,
                               bool* small) const {
  bool counts = true;
  for (std::uint32_t g = guard; g != kNoKey; g = body.guards[g].parent) {
    if (loop != kNoLoop && !body.Within(body.guards[g].loop, loop)) break;
    std::string_view text = Text(body.guards[g].condition);
    std::size_t percent = text.find('%');
    if (text.find("len(") != text.npos || text.find("done") != text.npos ||
        text.find("terminal") != text.npos || text.find("terminated") != text.npos) {
      *small = true;
    } else if (percent != text.npos) {
      std::size_t digit = text.find_first_not_of(" ", percent + 1);
      bool constant = digit != text.npos && text[digit] >= '0' && text[digit] <= '9';
      bool only = text.find(" and ") == text.npos;
      if (!constant || !only) counts = false;
    } else {
      counts = false;
    }
  }
  return counts;
}

// A unit test: its file imports a test framework, or it is named and called like pytest's.
bool EventBuilder::InTest(sema::FunctionId id) const {
  if (world_.test_file) return true;
  for (sema::FunctionId f = id; f != sema::kNoFunction; f = module()[f].parent) {
    const sema::ClassId cls = module()[f].class_id;
    if (cls != sema::kNoClass && module().Text(module()[cls].name).ends_with("TestCase"))
      return true;
    if (FunctionName(f).starts_with("test_") &&
        Text(module()[f].node).find("assert") != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

// Does everything under `inner` also run under `outer`?
bool EventBuilder::GuardCovers(const Body& body, std::uint32_t outer, std::uint32_t inner) const {
  if (outer == kNoKey) return true;
  for (std::uint32_t g = inner; g != kNoKey; g = body.guards[g].parent) {
    if (g == outer) return true;
  }
  return false;
}

// Does the loop go over data or steps, as opposed to the layers of a model or the parts of a value?
// Values without a graph pile up in a local over batches only (`strictly`): what a sampler gathers
// over its denoising or decoding steps is put together afterwards, on the device.
bool EventBuilder::OverData(const FunctionResult& r, LoopId l, bool strictly) const {
  const Body& body = r.body;
  const Loop& at = body.loops[Index(l)];
  if (at.is_while && !strictly) return true;
  if (at.iterable != kNoNode) {
    std::string_view text = Text(at.iterable);
    const bool fields = text.find("items(") != text.npos || text.find("values(") != text.npos ||
                        text.find("keys(") != text.npos;
    const bool steps = strictly && LooksLikeSteps(text) && !LooksLikeLoader(text);
    const bool data = at.is_comprehension ? LooksLikeLoader(text) : LooksLikeData(text);
    if (strictly && OverChunks(r, l)) return false;
    if (!fields && data && !steps) return true;
  }
  return std::any_of(r.backwards.begin(), r.backwards.end(), [&](const Backward& b) {
    return !b.through_grad && body.Within(body.LoopOf(b.value), l);
  });
}

// An attribute of a parameter other than `self`.
bool EventBuilder::OfArgument(const FunctionResult& r, const Store& store) const {
  if (store.slot == kNoSlot) return false;
  const Slot& slot = r.body.slots[Index(store.slot)];
  return slot.depth > 0 && module()[slot.root].is_param &&
         world_.SelfClass(slot.root) == sema::kNoClass;
}

// In a list or dict that this call makes; not in an object, whose size is its own business.
bool EventBuilder::InPlainLocal(const FunctionResult& r, const Store& store) {
  for (Objects left = store.sinks; left != 0; left &= left - 1) {
    const auto o = static_cast<std::size_t>(std::countr_zero(left));
    if (o >= r.objects.size() || r.objects[o].kind != ObjectKind::kAllocation) return false;
  }
  return true;
}

// A test that comes true again and again while the loop runs: `step % every == 0`, `len(rows) > n`,
// `full` that the loop computes. Not `every and …` nor `self.logging`, which may be off, and not
// `step == 0` nor `rows is None`, where the list is made.
bool EventBuilder::ComesTrueAgain(const Body& body, std::uint32_t guard, LoopId loop) const {
  for (std::uint32_t g = guard; g != kNoKey; g = body.guards[g].parent) {
    if (!body.Within(body.guards[g].loop, loop)) break;
    const std::string_view text = Text(body.guards[g].condition);
    auto has = [&](std::string_view part) { return text.find(part) != text.npos; };
    if (has(" and ") || has("is None") || has("first") || has(" in ")) return false;
    if (has("%") || has("len(")) continue;
    if (has("== 0") || has("not ")) return false;
    if (has("==") || has(">") || has("<")) continue;
    bool computed = false;
    for (std::uint32_t i = 0; i < body.instrs.size() && !computed; ++i) {
      const Instr& in = body.instrs[i];
      computed = in.op == Op::kStore && body.slots[in.aux].depth == 0 &&
                 body.Within(body.LoopOf(ValueId{i}), loop) &&
                 module().Text(module()[body.slots[in.aux].root].name) == text;
    }
    if (!computed) return false;
  }
  return true;
}

bool EventBuilder::OverLoader(const Body& body, LoopId l) const {
  const Loop& loop = body.loops[Index(l)];
  return loop.iterable != kNoNode && !loop.is_comprehension &&
         LooksLikeLoader(Text(loop.iterable).substr(0, 80));
}

}  // namespace torchleak::flow
