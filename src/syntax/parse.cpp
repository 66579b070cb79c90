// One tree-sitter parser for each thread, kept from file to file; it holds no state between them.
//
// tree-sitter recurses in one place: a chain of stack nodes that were merged during error recovery
// is released link by link (stack.c, stack_node_release; about 100 bytes a level). Input made for
// it gets one level for 11 bytes at first and, once ParseBudget's burst is spent, one for about 50.
// So small files are parsed on the caller's stack and the few large ones on a stack in proportion.
#include <tree_sitter/api.h>

#include <string_view>
#include <utility>

#include "syntax/budget.h"
#include "syntax/builder.h"
#include "syntax/deep_stack.h"
#include "syntax/symbols.h"
#include "syntax/tree.h"

namespace torchleak::syntax {
namespace {

constexpr std::size_t kSmallFile = 128 << 10;

std::size_t StackFor(std::size_t file_size) { return (std::size_t{8} << 20) + 8 * file_size; }

class Parser {
 public:
  static Parser& OfThisThread() {
    static const bool installed = (ParseBudget::InstallAllocator(), true);
    static_cast<void>(installed);
    thread_local Parser parser;
    return parser;
  }

  ~Parser() { ts_parser_delete(parser_); }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // The tree, which the caller deletes; null when the file is beyond the budget.
  TSTree* Parse(std::string_view bytes) {
    if (!IndentationIsSafe(bytes)) return nullptr;
    ParseBudget budget(bytes);
    TSTree* tree = ts_parser_parse_with_options(parser_, nullptr, budget.Input(), budget.Options());
    if (!budget.Exhausted()) return tree;
    ts_tree_delete(tree);
    ts_parser_reset(parser_);  // or the next parse would go on with this one
    return nullptr;
  }

 private:
  Parser() : parser_(ts_parser_new()) { ts_parser_set_language(parser_, tree_sitter_python()); }

  TSParser* parser_;
};

Tree ParseHere(std::string_view bytes) {
  TSTree* parsed = Parser::OfThisThread().Parse(bytes);
  if (parsed == nullptr) return TreeBuilder::Unparsed(bytes);
  Tree tree = TreeBuilder::Build(bytes, ts_tree_root_node(parsed));
  ts_tree_delete(parsed);
  return tree;
}

}  // namespace

Tree Parse(const text::Source& source) {
  struct Job {
    std::string_view bytes;
    Tree tree;
  } job{source.bytes(), {}};
  const auto work = [](void* argument) {
    auto& [bytes, tree] = *static_cast<Job*>(argument);
    tree = ParseHere(bytes);
  };
  const std::size_t size = source.bytes().size();
  if (size <= kSmallFile || !RunWithStack(StackFor(size), work, &job)) work(&job);
  return std::move(job.tree);
}

void ParseOnly(const text::Source& source) {
  const auto work = [](void* argument) {
    const auto& bytes = *static_cast<const std::string_view*>(argument);
    ts_tree_delete(Parser::OfThisThread().Parse(bytes));
  };
  std::string_view bytes = source.bytes();
  if (bytes.size() <= kSmallFile || !RunWithStack(StackFor(bytes.size()), work, &bytes))
    work(&bytes);
}

}  // namespace torchleak::syntax
