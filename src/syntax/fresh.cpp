// A parser for each part, made in the thread's arena together with its tree.
//
// tree-sitter recurses in one place: a chain of stack nodes that were merged during error recovery
// is released link by link (stack.c, stack_node_release; about 100 bytes a level). Input made for
// it gets one level for 11 bytes at first and, once ParseBudget's burst is spent, one for about 50.
// So small files are parsed on the caller's stack and the few large ones on a stack in proportion.
#include "syntax/fresh.h"

#include <cstdint>

#include "syntax/arena.h"
#include "syntax/budget.h"
#include "syntax/deep_stack.h"
#include "syntax/symbols.h"
#include "syntax/tree.h"
#include "text/notebook.h"

// Where the arena's limit ends a parse by longjmp, the scanner's own 56 bytes are lost.
#if defined(__SANITIZE_ADDRESS__)
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:tree_sitter_python_external_scanner_create";
}
#endif

namespace torchleak::syntax {
namespace {

constexpr std::size_t kSmallFile = 128 << 10;

std::size_t StackFor(std::size_t file_size) { return (std::size_t{8} << 20) + 8 * file_size; }

// Of the parts of one file; what is hostile in a dozen cells must not take a dozen budgets.
constexpr int kMaxExhausted = 3;

class PlainParser {
 public:
  PlainParser() : parser_(ts_parser_new()) {
    ts_parser_set_language(parser_, tree_sitter_python());
  }
  ~PlainParser() { ts_parser_delete(parser_); }
  PlainParser(const PlainParser&) = delete;
  PlainParser& operator=(const PlainParser&) = delete;
  TSParser* get() const { return parser_; }

 private:
  TSParser* parser_;
};

}  // namespace

std::vector<text::Span> PartsOf(const text::Source& source) {
  const auto size = static_cast<std::uint32_t>(source.code().size());
  if (source.notebook() == nullptr) return {{0, size}};
  std::vector<text::Span> parts;
  const auto cells = source.notebook()->cells();
  for (std::size_t i = 0; i < cells.size(); ++i)
    parts.push_back({cells[i].span.begin, i + 1 < cells.size() ? cells[i + 1].span.begin : size});
  return parts;
}

void WithStack(std::size_t part_size, void (*work)(void*), void* argument) {
  if (part_size <= kSmallFile || !RunWithStack(StackFor(part_size), work, argument)) work(argument);
}

TSParser* ParserOfThisThread() {
  Arena::OfThisThread();  // installs the allocator, which leaves the plain parser to malloc
  thread_local const PlainParser parser;
  return parser.get();
}

bool FreshParser::Refuses(text::Span part) const {
  return exhausted_count_ == kMaxExhausted || !IndentationIsSafe(Text(part));
}

void FreshParser::Add(text::Span part) {
  exhausted_ = false;
  if (Refuses(part)) return builder_->AddUnparsed(part);
  struct Job {
    FreshParser* parser;
    text::Span part;
  } job{this, part};
  const auto work = [](void* argument) {
    const auto [parser, span] = *static_cast<Job*>(argument);
    parser->ParseInArena(span);
  };
  WithStack(part.end - part.begin, work, &job);
  exhausted_count_ += exhausted_ ? 1 : 0;
}

// The parser lives in the arena like all it makes; only what the scanner holds has to be freed,
// which the end of the parse or the deletion of the parser does.
void FreshParser::ParseInArena(text::Span part) {
  Arena& arena = Arena::OfThisThread();
  ParseBudget budget(Text(part), &arena);
  TSTree* parsed = nullptr;
  const bool within = arena.Run([&] {
    TSParser* parser = ts_parser_new();
    ts_parser_set_language(parser, tree_sitter_python());
    parsed = ts_parser_parse_with_options(parser, nullptr, budget.Input(), budget.Options());
    if (budget.Exhausted()) ts_parser_delete(parser);
  });
  exhausted_ = !within || budget.Exhausted() || parsed == nullptr;
  if (exhausted_)
    builder_->AddUnparsed(part);
  else
    builder_->Add(part, ts_tree_root_node(parsed));
  arena.Reset();
}

Tree Parse(const text::Source& source) {
  TreeBuilder builder(source.code());
  FreshParser fresh(source.code(), &builder);
  for (const text::Span part : PartsOf(source)) fresh.Add(part);
  return builder.Finish();
}

void ParseOnly(const text::Source& source) {
  ts_tree_delete(ts_parser_parse_string(ParserOfThisThread(), nullptr, source.code().data(),
                                        static_cast<std::uint32_t>(source.code().size())));
}

}  // namespace torchleak::syntax
