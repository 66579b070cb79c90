// Three ways, by what is left to do after the registration:
//   one hook, then more statements     `with layer.register_forward_hook(f):` around them
//   several, or in a loop over layers  `handles.append(…)`, and try … finally around them
//   nothing, in a method               the object keeps the handle, and gets a method to remove it
#include <algorithm>
#include <array>

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

class Remover {
 public:
  Remover(const flow::FileEvents& events, sema::FunctionId function)
      : module_(*events.module), tree_(module_.tree()), function_(module_[function]) {}

  // False when a call is no statement of its own, or they do not stand in one block.
  bool Add(NodeId call) {
    const NodeId statement = SourceEdits(module_).StatementOf(call);
    if (statement == kNoNode || tree_.kind(statement) != Kind::kExpressionStatement ||
        tree_.FirstChild(statement) != call)
      return false;
    if (!statements_.empty() && tree_.Parent(statement) != tree_.Parent(statements_.front()))
      return false;
    statements_.push_back(statement);
    return true;
  }

  std::optional<findings::Fix> Make(bool in_init) {
    const NodeId loop = Loop();
    const NodeId next = tree_.NextSibling(loop == kNoNode ? statements_.back() : loop);
    if (next == kNoNode || in_init) return OnObject(loop);
    if (loop == kNoNode && statements_.size() == 1) return AsContext(next);
    return Collected(loop, next);
  }

 private:
  // The loop over layers: the registrations are all that it does, under whatever conditions.
  NodeId Loop() const {
    NodeId found = kNoNode;
    for (NodeId at = statements_.front(); at != kNoNode && at != function_.node;
         at = tree_.Parent(at)) {
      if (tree_.kind(at) == Kind::kForStatement) found = at;
      const bool structure =
          tree_.kind(at) == Kind::kForStatement || tree_.kind(at) == Kind::kIfStatement ||
          tree_.kind(at) == Kind::kBlock || tree_.kind(at) == Kind::kExpressionStatement;
      if (!structure) break;
      const bool more = tree_.kind(at) == Kind::kExpressionStatement &&
                        tree_.NextSibling(statements_.back()) != kNoNode;
      if (more) break;  // work is done in the loop: a batch, not a layer
    }
    return found;
  }

  NodeId LastOf(NodeId block) const {
    NodeId last = kNoNode;
    for (const NodeId child : tree_.Children(block)) last = child;
    return last;
  }

  std::string FreeName(std::string_view a, std::string_view b) const {
    for (const std::string_view name : {a, b}) {
      if (module_.FindName(name) == sema::kNoName) return std::string(name);
    }
    return {};
  }

  std::optional<findings::Fix> FixOf(std::string message, SourceEdits* edits) const {
    findings::Fix fix;
    fix.applicability = findings::Applicability::kUnsafe;  // somebody may count on the hook later
    fix.message = std::move(message);
    fix.edits = edits->Take();
    return fix;
  }

  bool AtTopLevel() const { return tree_.kind(function_.node) == Kind::kModule; }

  std::optional<findings::Fix> AsContext(NodeId next) const {
    if (AtTopLevel()) return std::nullopt;
    SourceEdits edits(module_);
    const text::Span span = tree_.Span(statements_.front());
    if (!edits.Indent(next, LastOf(tree_.Parent(next)))) return std::nullopt;
    edits.Insert(span.begin, "with ");
    edits.Insert(span.end, ":");
    return FixOf("remove the hook at the end of its block: a handle is a context manager", &edits);
  }

  void Append(const std::string& list, SourceEdits* edits) const {
    for (const NodeId statement : statements_) {
      edits->Insert(tree_[statement].begin, list + ".append(");
      edits->Insert(tree_[statement].end, ")");
    }
  }

  std::optional<findings::Fix> Collected(NodeId loop, NodeId next) const {
    const std::string handles = FreeName("handles", "hook_handles");
    if (AtTopLevel() || handles.empty()) return std::nullopt;
    SourceEdits edits(module_);
    const NodeId last = LastOf(tree_.Parent(next));
    Append(handles, &edits);
    if (!edits.LineBefore(loop == kNoNode ? statements_.front() : loop, handles + " = []"))
      return std::nullopt;
    std::string_view indent;
    if (!edits.Indentation(next, &indent)) return std::nullopt;
    const std::string removal = fmt::format(
        "finally:\n{0}    for handle in {1}:\n{0}        handle.remove()", indent, handles);
    const bool done =
        edits.Indent(next, last, fmt::format("{}try:\n", indent)) && edits.LineAfter(last, removal);
    if (!done) return std::nullopt;
    return FixOf("keep the handles, and remove the hooks when the work is done", &edits);
  }

  std::optional<findings::Fix> OnObject(NodeId loop) const {
    if (function_.class_id == sema::kNoClass || function_.params.empty()) return std::nullopt;
    const bool list = loop != kNoNode || statements_.size() > 1;
    const std::string name =
        list ? FreeName("handles", "hook_handles") : FreeName("handle", "hook_handle");
    if (name.empty() || module_.FindName("remove_hooks") != sema::kNoName) return std::nullopt;
    const std::string self(module_.Text(function_.params.front().name));
    const std::string place = self + "." + name;
    SourceEdits edits(module_);
    if (list) {
      Append(place, &edits);
      if (!edits.LineBefore(loop == kNoNode ? statements_.front() : loop, place + " = []"))
        return std::nullopt;
    } else {
      edits.Insert(tree_[statements_.front()].begin, place + " = ");
    }
    const NodeId cls = module_[function_.class_id].node;
    const NodeId body = tree_.Child(cls, syntax::Field::kBody);
    const NodeId last = body == kNoNode ? kNoNode : LastOf(body);
    std::string_view indent;
    if (last == kNoNode || !edits.Indentation(last, &indent)) return std::nullopt;
    const std::string removal =
        list ? fmt::format("for handle in {1}:\n{0}        handle.remove()", indent, place)
             : fmt::format("{}.remove()", place);
    const std::string method =
        fmt::format("def remove_hooks({2}):\n{0}    {1}", indent, removal, self);
    if (!edits.LineAfter(last, method, 1)) return std::nullopt;
    return FixOf("keep what is needed to remove the hook, and call `remove_hooks()` in the end",
                 &edits);
  }

  const sema::Module& module_;
  const syntax::Tree& tree_;
  const sema::Function& function_;
  std::vector<NodeId> statements_;
};

}  // namespace

std::optional<findings::Fix> RemoveHooks(const flow::FileEvents& events,
                                         std::span<const flow::HookEvent* const> hooks) {
  if (hooks.empty() || events.world == nullptr) return std::nullopt;
  Remover remover(events, hooks.front()->function);
  for (const flow::HookEvent* hook : hooks) {
    const FunctionResult& r = events.world->result(hook->function);
    if (hook->record == flow::kNoKey || !remover.Add(r.hooks[hook->record].node))
      return std::nullopt;
  }
  return remover.Make(hooks.front()->in_init);
}

}  // namespace torchleak::repair
