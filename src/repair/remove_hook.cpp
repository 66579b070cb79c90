// A handle is a context manager: `with layer.register_forward_hook(f):` around what is left of the
// block removes it on every way out. In a loop over layers, where nothing is left, handles are
// collected and removed behind the loop's block.
#include <algorithm>

#include <fmt/format.h>

#include "flow/world.h"
#include "repair/repair.h"
#include "repair/source_edits.h"

namespace torchleak::repair {
namespace {

using flow::FunctionResult;
using syntax::Kind;
using syntax::kNoNode;
using syntax::NodeId;

NodeId LastOf(const syntax::Tree& tree, NodeId block) {
  NodeId last = kNoNode;
  for (const NodeId child : tree.Children(block)) last = child;
  return last;
}

bool LeavesBlock(Kind kind) {
  return kind == Kind::kReturnStatement || kind == Kind::kRaiseStatement ||
         kind == Kind::kBreakStatement || kind == Kind::kContinueStatement;
}

std::optional<findings::Fix> FixOf(std::string message, SourceEdits* edits) {
  findings::Fix fix;
  fix.applicability = findings::Applicability::kUnsafe;  // somebody may count on the hook later
  fix.message = std::move(message);
  fix.edits = edits->Take();
  return fix;
}

// for layer in layers: layer.register_forward_hook(hook)
std::optional<findings::Fix> Collect(const sema::Module& module, NodeId statement, NodeId loop) {
  const syntax::Tree& tree = module.tree();
  const NodeId block = tree.Parent(loop);
  if (block == kNoNode || tree.kind(block) != Kind::kBlock) return std::nullopt;
  const NodeId last = LastOf(tree, block);
  if (last == loop || LeavesBlock(tree.kind(last))) return std::nullopt;
  const std::string handles =
      module.FindName("handles") == sema::kNoName ? "handles" : "hook_handles";
  if (module.FindName(handles) != sema::kNoName) return std::nullopt;
  SourceEdits edits(module);
  const text::Span span = tree.Span(statement);
  edits.Insert(span.begin, handles + ".append(");
  edits.Insert(span.end, ")");
  if (!edits.LineBefore(loop, handles + " = []")) return std::nullopt;
  std::string_view indent;
  if (!edits.Indentation(last, &indent)) return std::nullopt;
  const std::string removal =
      fmt::format("for handle in {}:\n{}    handle.remove()", handles, indent);
  if (!edits.LineAfter(last, removal)) return std::nullopt;
  return FixOf("keep the handles, and remove the hooks when the work is done", &edits);
}

}  // namespace

std::optional<findings::Fix> RemoveHook(const flow::FileEvents& events,
                                        const flow::HookEvent& hook) {
  if (hook.record == flow::kNoKey || events.world == nullptr || hook.in_init) return std::nullopt;
  const FunctionResult& r = events.world->result(hook.function);
  const sema::Module& module = *events.module;
  const syntax::Tree& tree = module.tree();
  const NodeId call = r.hooks[hook.record].node;
  SourceEdits edits(module);
  const NodeId statement = edits.StatementOf(call);
  if (statement == kNoNode || tree.kind(statement) != Kind::kExpressionStatement ||
      tree.FirstChild(statement) != call)
    return std::nullopt;
  const NodeId block = tree.Parent(statement);
  const NodeId next = tree.NextSibling(statement);
  if (next == kNoNode) {
    const NodeId loop = tree.Parent(block);
    if (loop == kNoNode || tree.kind(loop) != Kind::kForStatement) return std::nullopt;
    return Collect(module, statement, loop);
  }
  if (r.body.function == sema::FunctionId{0} && tree.Parent(block) == kNoNode) return std::nullopt;
  // `layer.register_forward_hook(f)` becomes the head of a `with` around the rest.
  const NodeId last = LastOf(tree, block);
  const text::Span span = tree.Span(statement);
  if (!edits.Indent(next, last)) return std::nullopt;
  edits.Insert(span.begin, "with ");
  edits.Insert(span.end, ":");
  return FixOf("remove the hook at the end of its block: a handle is a context manager", &edits);
}

}  // namespace torchleak::repair
