#include "patterns/accumulation_window.h"

#include <cctype>

namespace torchleak::patterns {

using flow::Body;
using flow::LoopId;
using flow::Op;
using flow::ValueId;
using sema::Index;

namespace {

// `i % k`; a remainder of 1 is always the same.
bool HasRemainder(std::string_view condition) {
  const std::size_t at = condition.find('%');
  if (at == condition.npos) return false;
  const std::size_t by = condition.find_first_not_of(' ', at + 1);
  if (by == condition.npos || condition[by] != '1') return true;
  return by + 1 < condition.size() &&
         (std::isalnum(static_cast<unsigned char>(condition[by + 1])) != 0);
}

}  // namespace

std::uint32_t AccumulationWindow::Periodic(ValueId at, LoopId loop) const {
  for (std::uint32_t g = r_.body.BlockOf(at).guard; g != flow::kNoKey;
       g = r_.body.guards[g].parent) {
    const flow::Guard& guard = r_.body.guards[g];
    if (!r_.body.Within(guard.loop, loop)) break;
    const std::string_view text = sight_.Text(guard.condition);
    if (HasRemainder(text) || text.find("accum") != text.npos || CountsTo(g, loop)) return g;
  }
  return flow::kNoKey;
}

// `if count == k:`, where the loop counts and this branch begins anew.
bool AccumulationWindow::CountsTo(std::uint32_t guard, LoopId loop) const {
  const Body& body = r_.body;
  const text::Span span = sight_.Span(body.guards[guard].condition);
  for (std::uint32_t i = 0; i < body.instrs.size(); ++i) {
    const flow::Instr& in = body.instrs[i];
    if (in.op != Op::kLoad || in.node == syntax::kNoNode) continue;
    const text::Span s = sight_.Span(in.node);
    if (s.begin < span.begin || s.end > span.end) continue;
    bool counts = false, resets = false;
    for (std::uint32_t j = 0; j < body.instrs.size(); ++j) {
      const flow::Instr& store = body.instrs[j];
      if (store.op != Op::kStore || store.aux != in.aux) continue;
      if (!body.Within(body.LoopOf(ValueId{j}), loop)) continue;
      const Op what = body[body.Operand(store, 0)].op;
      counts |= what == Op::kAugment;
      resets |= what == Op::kNumber && Under(ValueId{j}, guard);
    }
    if (counts && resets) return true;
  }
  return false;
}

bool AccumulationWindow::Under(ValueId at, std::uint32_t guard) const {
  for (std::uint32_t g = r_.body.BlockOf(at).guard; g != flow::kNoKey;
       g = r_.body.guards[g].parent) {
    if (g == guard) return true;
  }
  return false;
}

bool AccumulationWindow::Lasting(ValueId at, LoopId loop, LoopId epoch) const {
  const Body& body = r_.body;
  for (std::uint32_t g = body.BlockOf(at).guard; g != flow::kNoKey; g = body.guards[g].parent) {
    if (!body.Within(body.guards[g].loop, loop)) break;
    const text::Span span = sight_.Span(body.guards[g].condition);
    const std::string_view text = sight_.Text(body.guards[g].condition);
    if (text.find('%') == text.npos && text.find('>') == text.npos) continue;
    for (std::uint32_t i = 0; i < body.instrs.size(); ++i) {
      const flow::Instr& in = body.instrs[i];
      if (in.op != Op::kLoad || in.node == syntax::kNoNode) continue;
      const text::Span s = sight_.Span(in.node);
      if (s.begin < span.begin || s.end > span.end) continue;
      if (CountsOn(flow::SlotId{in.aux}, loop, epoch)) return true;
    }
  }
  return false;
}

bool AccumulationWindow::CountsOn(flow::SlotId slot, LoopId loop, LoopId epoch) const {
  const Body& body = r_.body;
  bool inner = false, before = false;
  for (std::uint32_t i = 0; i < body.instrs.size(); ++i) {
    const flow::Instr& in = body.instrs[i];
    if (in.op != Op::kStore || flow::SlotId{in.aux} != slot) continue;
    const LoopId at = body.LoopOf(ValueId{i});
    if (body.Within(at, loop)) {
      inner = true;
    } else if (body.Within(at, epoch)) {
      return false;
    } else {
      before = true;
    }
  }
  return inner && before;
}

}  // namespace torchleak::patterns
