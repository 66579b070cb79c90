// A Python file run through the layers up to flow, with handles by source text.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "flow/events.h"
#include "flow/world.h"
#include "sema/module.h"
#include "syntax/tree.h"
#include "text/source.h"

namespace torchleak::flow {

class Py {
 public:
  explicit Py(std::string text)
      : source_(*text::Source::FromBytes("train.py", std::move(text))),
        tree_(syntax::Parse(source_)),
        module_(sema::Analyze(tree_)),
        events_(Analyze(module_)) {}

  const sema::Module& module() const { return module_; }
  const FileEvents& events() const { return events_; }

  // By its dotted name: "train", "Trainer.fit", "<module>".
  const FunctionResult& Function(std::string_view name) const {
    for (const FunctionResult& r : events_.world->results())
      if (module_.DisplayName(r.body.function) == name) return r;
    FAIL("no function ", name);
    return events_.world->results().front();
  }

  std::string Text(syntax::NodeId node) const {
    return node == syntax::kNoNode ? std::string() : std::string(tree_.Text(node));
  }
  std::uint32_t Row(text::Span span) const { return source_.PositionOf(span.begin).row; }

  // The last instruction of an operation whose code reads like this.
  ValueId At(const FunctionResult& r, Op op, std::string_view text) const {
    ValueId found = kNoValue;
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      const Instr& in = r.body.instrs[i];
      if (in.op == op && Text(in.node) == text) found = ValueId{i};
    }
    if (found == kNoValue) FAIL("no such instruction: ", text);
    return found;
  }

  // "loss", "self.opt"
  std::string SlotText(const Body& body, SlotId slot) const {
    const Slot& s = body.slots[Index(slot)];
    if (s.depth == 0) return std::string(module_.Text(module_[s.root].name));
    return SlotText(body, s.parent) + "." + std::string(module_.Text(s.attribute));
  }

 private:
  text::Source source_;
  syntax::Tree tree_;
  sema::Module module_;
  FileEvents events_;
};

}  // namespace torchleak::flow
