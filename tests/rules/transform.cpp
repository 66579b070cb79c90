// All three work on the bytes: they collect edits from the syntax tree and apply them in one go.
#include "transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "flow/names.h"
#include "sema/module.h"
#include "syntax/tree.h"

namespace torchleak::tests {
namespace {

using syntax::Kind;
using syntax::NodeId;

std::vector<std::uint32_t> SameRows(const text::Source& source) {
  std::vector<std::uint32_t> rows(source.line_count() + 1);
  for (std::uint32_t row = 0; row < rows.size(); ++row) rows[row] = row;
  return rows;
}

bool BeginsItsLine(const text::Source& source, std::uint32_t offset) {
  const std::uint32_t begin = source.LineSpan(source.RowOf(offset)).begin;
  return source.Text({begin, offset}).find_first_not_of(" \t") == std::string_view::npos;
}

bool WeakEvidence(std::string_view name) {
  return flow::LooksLikeModule(name) || flow::LooksLikeLoss(name) ||
         flow::LooksLikeOptimizer(name) || flow::LooksLikeScheduler(name) ||
         flow::LooksLikeLoader(name) || flow::LooksHeldOut(name) ||
         flow::LooksLikeEvaluation(name) || flow::LooksLikeEngine(name);
}

bool IsLocalVariable(const sema::Module& module, const sema::Binding& binding) {
  const sema::ScopeKind scope = module[binding.scope].kind;
  return (scope == sema::ScopeKind::kFunction || scope == sema::ScopeKind::kComprehension) &&
         !binding.is_param && binding.qualified.empty() && binding.function == sema::kNoFunction &&
         binding.class_id == sema::kNoClass && module.Text(binding.name) != "_";
}

// Names in `global` and `nonlocal` statements, which resolution may not follow everywhere.
std::set<std::string_view> DeclaredElsewhere(const syntax::Tree& tree) {
  std::set<std::string_view> names;
  for (std::uint32_t i = 0; i < tree.size(); ++i) {
    const Kind kind = tree.kind(NodeId{i});
    if (kind != Kind::kGlobalStatement && kind != Kind::kNonlocalStatement) continue;
    for (NodeId child : tree.Children(NodeId{i})) names.insert(tree.Text(child));
  }
  return names;
}

// The top-level functions, decorators included, as runs of direct neighbours.
std::vector<std::vector<NodeId>> FunctionRuns(const syntax::Tree& tree) {
  std::vector<std::vector<NodeId>> runs(1);
  for (NodeId node : tree.Children(tree.root())) {
    const bool decorated = tree.kind(node) == Kind::kDecoratedDefinition;
    const NodeId definition = decorated ? tree.Child(node, syntax::Field::kDefinition) : node;
    if (definition != syntax::kNoNode && tree.kind(definition) == Kind::kFunctionDefinition) {
      runs.back().push_back(node);
    } else if (!runs.back().empty()) {
      runs.emplace_back();
    }
  }
  return runs;
}

bool DefinesTwice(const sema::Module& module) {
  std::set<sema::NameId> names;
  for (const sema::Function& function : module.functions()) {
    const bool top_level = function.parent == sema::FunctionId{0} && !function.is_lambda &&
                           function.class_id == sema::kNoClass;
    if (top_level && !names.insert(function.name).second) return true;
  }
  return false;
}

}  // namespace

Variation WithLinesBetween(const text::Source& source) {
  const syntax::Tree tree = syntax::Parse(source);
  std::set<std::uint32_t> rows;  // rows that get lines above them
  for (std::uint32_t i = 1; i < tree.size(); ++i) {
    const NodeId node{i};
    const Kind parent = tree.kind(tree.Parent(node));
    if (parent != Kind::kBlock && parent != Kind::kModule) continue;
    if (BeginsItsLine(source, tree[node].begin)) rows.insert(source.RowOf(tree[node].begin));
  }
  Variation variation{"", {0}, 0};
  std::uint32_t row = 1;
  for (std::uint32_t old = 1; old <= source.line_count(); ++old) {
    const std::string_view line = source.Line(old);
    if (rows.contains(old)) {
      const std::string_view indent = line.substr(0, line.find_first_not_of(" \t"));
      variation.text += fmt::format("\n{}# a note\n", indent);
      row += 2;
      variation.changes += 2;
    }
    variation.new_row.push_back(row++);
    variation.text.append(line).append(old == source.line_count() ? "" : "\n");
  }
  return variation;
}

Variation WithLocalsRenamed(const text::Source& source) {
  const syntax::Tree tree = syntax::Parse(source);
  const sema::Module module = sema::Analyze(tree);
  const std::set<std::string_view> kept = DeclaredElsewhere(tree);
  Variation variation{"", SameRows(source), 0};
  std::uint32_t copied = 0;
  for (std::uint32_t i = 0; i < tree.size(); ++i) {
    const NodeId node{i};
    if (tree.kind(node) != Kind::kIdentifier) continue;
    const sema::BindingId id = module.BindingOf(node);
    if (id == sema::kNoBinding || !IsLocalVariable(module, module[id])) continue;
    const std::string_view name = tree.Text(node);
    if (kept.contains(name)) continue;
    variation.text += source.Text({copied, tree[node].begin});
    variation.text +=
        WeakEvidence(name) ? fmt::format("{}_q", name) : fmt::format("v{}_q", sema::Index(id));
    copied = tree[node].end;
    ++variation.changes;
  }
  variation.text += source.bytes().substr(copied);
  return variation;
}

Variation WithFunctionsReversed(const text::Source& source) {
  const syntax::Tree tree = syntax::Parse(source);
  const sema::Module module = sema::Analyze(tree);
  Variation variation{"", SameRows(source), 0};
  if (DefinesTwice(module)) {
    variation.text = source.bytes();
    return variation;
  }
  std::uint32_t copied = 0;
  std::uint32_t row = 1;  // of the new text's end
  const auto append = [&](std::uint32_t begin, std::uint32_t end, bool function) {
    const std::string_view text = source.Text({begin, end});
    const std::uint32_t first = source.RowOf(begin);
    const auto lines = static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
    for (std::uint32_t i = 0; i <= lines; ++i) {
      // The text between functions shares its first and last row with them.
      const bool shared =
          !function && ((i == 0 && begin != 0) || (i == lines && end != source.bytes().size()));
      if (!shared) variation.new_row[first + i] = row + i;
    }
    row += lines;
    variation.text += text;
  };
  for (const std::vector<NodeId>& run : FunctionRuns(tree)) {
    for (std::size_t i = 0; run.size() > 1 && i < run.size(); ++i) {
      append(copied, tree[run[i]].begin, false);
      const NodeId moved = run[run.size() - 1 - i];
      append(tree[moved].begin, tree[moved].end, true);
      copied = tree[run[i]].end;
      ++variation.changes;
    }
  }
  append(copied, static_cast<std::uint32_t>(source.bytes().size()), false);
  return variation;
}

}  // namespace torchleak::tests
