// Whether a place is reached in every turn of a loop: by the conditions around it and by those that
// leave the turn before it. A function is treated as one turn of its callers.
#include <algorithm>

#include "flow/names.h"
#include "patterns/loop_table.h"

namespace torchleak::patterns {

// Each question walks the blocks of one loop: in larger functions nothing is sure.
constexpr std::size_t kMaxBlocks = 2000;

using flow::Body;
using flow::FunctionResult;
using flow::kNoLoop;
using flow::LoopId;
using flow::Op;
using flow::ValueId;
using sema::Index;
using syntax::kNoNode;
using syntax::NodeId;

namespace {

// Of the conditions around a return, the outermost that `at` does not stand under: what this one
// decides for good, those within cannot undo.
std::uint32_t FirstOf(const Body& body, std::uint32_t guard, ValueId at) {
  std::uint32_t first = flow::kNoKey;
  for (std::uint32_t g = guard; g != flow::kNoKey; g = body.guards[g].parent) {
    bool shared = false;
    for (std::uint32_t own = body.BlockOf(at).guard; own != flow::kNoKey && !shared;
         own = body.guards[own].parent)
      shared = own == g;
    if (shared) break;
    first = g;
  }
  return first;
}

}  // namespace

const LoopTable::Conditions& LoopTable::ConditionsOf(const FunctionResult& r) const {
  Conditions& c = conditions_[Index(r.body.function)];
  if (!c.by_begin.empty()) return c;
  const syntax::Tree& tree = world_.module().tree();
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
    const flow::Instr& in = r.body.instrs[i];
    if (in.op == Op::kReturn && r.body.BlockOf(ValueId{i}).guard != flow::kNoKey)
      c.returns.push_back(i);
    if (in.op == Op::kStore) c.stores.emplace_back(in.aux, r.body.LoopOf(ValueId{i}));
    if (in.node == kNoNode || (in.op != Op::kCall && in.op != Op::kLoad)) continue;
    c.by_begin.emplace_back(tree.Span(in.node).begin, i);
  }
  c.entered_under.assign(r.body.loops.size(), flow::kNoKey);
  for (const flow::Block& block : r.body.blocks) {
    for (const flow::BlockId next : block.successors) {
      const flow::Block& head = r.body.blocks[Index(next)];
      if (head.is_loop_head && !r.body.Within(block.loop, head.loop))
        c.entered_under[Index(head.loop)] = block.guard;
    }
  }
  std::ranges::sort(c.by_begin);
  std::ranges::sort(c.stores);
  c.stores.erase(std::ranges::unique(c.stores).begin(), c.stores.end());
  if (c.by_begin.empty()) c.by_begin.emplace_back(0xFFFFFFFF, 0);
  return c;
}

// A parameter is for the callers to choose, unless it tells of the device.
bool LoopTable::IsChoice(sema::BindingId binding) const {
  const sema::Binding& b = world_.module()[binding];
  if (!b.is_param || world_.SelfClass(binding) != sema::kNoClass) return false;
  const std::string_view name = world_.module().Text(b.name);
  for (const std::string_view word : {"cuda", "gpu", "device", "rank", "main"})
    if (name.find(word) != name.npos) return false;
  return true;
}

// A name that the loop binds, a parameter, a remainder, a count of steps, or what a call gives
// other than whether there is a device.
bool LoopTable::Changes(const FunctionResult& r, NodeId condition, LoopId loop) const {
  const syntax::Tree& tree = world_.module().tree();
  const std::string_view text = tree.Text(condition);
  for (const std::string_view word : {"%", "step", "iter", "count", "epoch", "first", "memory"})
    if (text.find(word) != text.npos) return true;
  if (text.starts_with("isinstance(")) return false;  // which elements, not when
  const text::Span span = tree.Span(condition);
  const Body& body = r.body;
  const Conditions& known = ConditionsOf(r);
  for (auto it = std::ranges::lower_bound(known.by_begin, std::pair{span.begin, 0u});
       it != known.by_begin.end() && it->first < span.end; ++it) {
    const flow::Instr& in = body.instrs[it->second];
    if (in.op == Op::kCall) {
      const std::string_view callee = tree.Text(in.node);
      const bool fixed =
          std::ranges::any_of(std::initializer_list<std::string_view>{"is_available(", "hasattr(",
                                                                      "isinstance(", "getattr("},
                              [&](auto name) { return callee.find(name) != callee.npos; });
      if (!fixed) return true;
      continue;
    }
    const flow::Slot& slot = body.slots[in.aux];
    if (slot.depth == 0 && IsChoice(slot.root)) return true;
    for (auto s = std::ranges::lower_bound(known.stores, in.aux, {},
                                           [](const auto& entry) { return entry.first; });
         s != known.stores.end() && s->first == in.aux; ++s) {
      if (body.Within(s->second, loop)) return true;
    }
  }
  return false;
}

bool LoopTable::GuardChanges(const FunctionResult& r, std::uint32_t guard, LoopId loop) const {
  for (std::uint32_t g = guard; g != flow::kNoKey; g = r.body.guards[g].parent) {
    if (!r.body.Within(r.body.guards[g].loop, loop)) break;
    if (Changes(r, r.body.guards[g].condition, loop)) return true;
  }
  return false;
}

// Some way through the turn, on a condition that changes, ends it before `at`.
bool LoopTable::PassedBy(const FunctionResult& r, ValueId at, LoopId loop) const {
  const Body& body = r.body;
  if (loop == kNoLoop) {
    for (const std::uint32_t i : ConditionsOf(r).returns) {
      if (i >= Index(at)) break;
      const std::uint32_t first = FirstOf(body, body.BlockOf(ValueId{i}).guard, at);
      if (first != flow::kNoKey && Changes(r, body.guards[first].condition, loop)) return true;
    }
    return false;
  }
  if (body.blocks.size() > kMaxBlocks) return true;
  const std::uint32_t target = body.block_of[Index(at)];
  std::vector<bool> seen(body.blocks.size());
  std::vector<std::uint32_t> work;
  for (std::uint32_t b = 0; b < body.blocks.size(); ++b) {
    if (body.blocks[b].is_loop_head && body.blocks[b].loop == loop) work.push_back(b);
  }
  const std::vector<std::uint32_t> heads = work;
  while (!work.empty()) {
    const std::uint32_t b = work.back();
    work.pop_back();
    if (b == target) continue;
    for (const flow::BlockId next : body.blocks[b].successors) {
      if (std::ranges::find(heads, Index(next)) != heads.end()) {
        if (GuardChanges(r, body.blocks[b].guard, loop)) return true;
        continue;
      }
      if (seen[Index(next)] || !body.Within(body.blocks[Index(next)].loop, loop)) continue;
      seen[Index(next)] = true;
      work.push_back(Index(next));
    }
  }
  return false;
}

// The lowering forgets a condition inside of a loop that stands under it: those of the loops around
// it are asked as well, up to `loop`.
bool LoopTable::UnderGuard(const FunctionResult& r, ValueId at, LoopId loop,
                           const std::function<bool(std::uint32_t)>& holds) const {
  const Conditions& known = ConditionsOf(r);
  std::uint32_t guard = r.body.BlockOf(at).guard;
  for (LoopId l = r.body.LoopOf(at);; l = r.body.loops[Index(l)].parent) {
    for (; guard != flow::kNoKey; guard = r.body.guards[guard].parent) {
      if (!r.body.Within(r.body.guards[guard].loop, loop)) return false;
      if (holds(guard)) return true;
    }
    if (l == kNoLoop || l == loop) return false;
    guard = known.entered_under[Index(l)];
  }
}

bool LoopTable::OnChangingCondition(const FunctionResult& r, ValueId at, LoopId loop) const {
  return UnderGuard(r, at, loop,
                    [&](std::uint32_t guard) {
                      return Changes(r, r.body.guards[guard].condition, loop);
                    }) ||
         PassedBy(r, at, loop);
}

}  // namespace torchleak::patterns
