// One tree-sitter parser for each thread, kept from file to file; it holds no state between them.
#include <tree_sitter/api.h>

#include "syntax/budget.h"
#include "syntax/builder.h"
#include "syntax/symbols.h"
#include "syntax/tree.h"

namespace torchleak::syntax {
namespace {

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

}  // namespace

Tree Parse(const text::Source& source) {
  TSTree* parsed = Parser::OfThisThread().Parse(source.bytes());
  if (parsed == nullptr) return TreeBuilder::Unparsed(source.bytes());
  Tree tree = TreeBuilder::Build(source.bytes(), ts_tree_root_node(parsed));
  ts_tree_delete(parsed);
  return tree;
}

void ParseOnly(const text::Source& source) {
  ts_tree_delete(Parser::OfThisThread().Parse(source.bytes()));
}

}  // namespace torchleak::syntax
