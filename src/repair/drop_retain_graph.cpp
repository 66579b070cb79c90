#include "flow/world.h"
#include "repair/repair.h"

namespace torchleak::repair {

using syntax::Field;
using syntax::Kind;
using syntax::kNoNode;
using syntax::NodeId;

std::optional<findings::Fix> DropRetainGraph(const flow::FileEvents& events,
                                             const flow::RetainedEvent& retained) {
  if (retained.record == flow::kNoKey || events.world == nullptr) return std::nullopt;
  const syntax::Tree& tree = events.module->tree();
  const flow::Backward& backward =
      events.world->result(retained.function).backwards[retained.record];
  const NodeId arguments = tree.kind(backward.node) == Kind::kCall
                               ? tree.Child(backward.node, Field::kArguments)
                               : kNoNode;
  if (arguments == kNoNode || tree.kind(arguments) != Kind::kArgumentList) return std::nullopt;
  NodeId before = kNoNode;
  for (const NodeId argument : tree.Children(arguments)) {
    const NodeId name = tree.kind(argument) == Kind::kKeywordArgument
                            ? tree.Child(argument, Field::kName)
                            : kNoNode;
    if (name == kNoNode || tree.Text(name) != "retain_graph") {
      before = argument;
      continue;
    }
    // With its comma: the one before it, or for the first argument the one behind it.
    text::Span span = tree.Span(argument);
    const NodeId next = tree.NextSibling(argument);
    if (before != kNoNode) {
      span.begin = tree[before].end;
    } else if (next != kNoNode) {
      span.end = tree[next].begin;
    } else {
      span = {tree[arguments].begin + 1, tree[arguments].end - 1};
    }
    findings::Fix fix;
    // A module, a criterion or a closure may keep a part of the graph for the next turn, which
    // would then be walked a second time: that raises, and nothing here proves the contrary.
    fix.applicability = findings::Applicability::kUnsafe;
    fix.message = "drop `retain_graph=True`";
    fix.edits.push_back({{{}, span}, ""});
    return fix;
  }
  return std::nullopt;
}

}  // namespace torchleak::repair
