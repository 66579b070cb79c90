// Marks: a control-flow graph told by what may run next.
//
// A mark is a call of a bare name without arguments, `a()`, and the entering and leaving of a
// `with` block, written "+ctx" and "-ctx" by its context. After("a") names the marks that may
// follow, in alphabetical order, and "end" where the function may end first.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fixture.h"

namespace torchleak::flow {

class Marks {
 public:
  explicit Marks(const std::string& code) : py_("import torch\n" + code), r_(py_.Function("f")) {}

  // What may run first.
  std::string First() const { return From(BlockId{0}, Body().blocks[0].first); }
  std::string After(std::string_view mark) const {
    const ValueId at = Find(mark);
    return at == kNoValue ? "no such mark"
                          : From(BlockId{Body().block_of[Index(at)]}, Index(at) + 1);
  }
  bool Reached(std::string_view mark) const {
    const ValueId at = Find(mark);
    REQUIRE(at != kNoValue);
    const auto& order = Body().order;
    const BlockId block{Body().block_of[Index(at)]};
    return std::find(order.begin(), order.end(), block) != order.end();
  }
  // Loops around the mark.
  unsigned Depth(std::string_view mark) const {
    unsigned depth = 0;
    for (LoopId l = Body().LoopOf(Find(mark)); l != kNoLoop; l = Body().loops[Index(l)].parent)
      ++depth;
    return depth;
  }
  // Conditions that it runs under, the innermost first; "not …" for an else.
  std::string Guards(std::string_view mark) const {
    std::string out;
    for (std::uint32_t g = Body().BlockOf(Find(mark)).guard; g != kNoKey;
         g = Body().guards[g].parent) {
      out += out.empty() ? "" : ", ";
      out += Body().guards[g].negated ? "not " : "";
      out += py_.Text(Body().guards[g].condition);
    }
    return out;
  }
  const flow::Body& Body() const { return r_.body; }
  const Py& py() const { return py_; }

 private:
  std::string NameOf(std::uint32_t i) const {
    const Instr& in = Body().instrs[i];
    if (in.op == Op::kEnterWith && in.argc > 0) return "+" + py_.Text(in.node);
    if (in.op == Op::kExitWith) {
      const Instr& entered = Body()[Body().Operand(in, 0)];
      return entered.argc > 0 ? "-" + py_.Text(entered.node) : "";
    }
    if (in.op != Op::kCall) return {};
    const Call& call = Body().calls[in.aux];
    const std::string text = py_.Text(call.node);
    const bool plain = call.argc == 0 && text.size() > 2 && text.ends_with("()") &&
                       text.find_first_of(".(") == text.size() - 2;
    return plain ? text.substr(0, text.size() - 2) : "";
  }

  ValueId Find(std::string_view mark) const {
    for (std::uint32_t i = 0; i < Body().instrs.size(); ++i)
      if (NameOf(i) == mark) return ValueId{i};
    return kNoValue;
  }

  std::string From(BlockId block, std::uint32_t first) const {
    std::set<std::string> found;
    std::set<BlockId> seen;
    std::vector<std::pair<BlockId, std::uint32_t>> work{{block, first}};
    while (!work.empty()) {
      auto [b, i] = work.back();
      work.pop_back();
      const Block& at = Body().blocks[Index(b)];
      while (i < at.last && NameOf(i).empty()) ++i;
      if (i < at.last) {
        found.insert(NameOf(i));
        continue;
      }
      if (at.successors.empty()) found.insert("end");
      for (BlockId s : at.successors)
        if (seen.insert(s).second) work.emplace_back(s, Body().blocks[Index(s)].first);
    }
    std::string out;
    for (const std::string& f : found) out += (out.empty() ? "" : " ") + f;
    return out;
  }

  Py py_;
  const FunctionResult& r_;
};

}  // namespace torchleak::flow
