// A parser for each file, made in the thread's arena together with its tree.
//
// tree-sitter recurses in one place: a chain of stack nodes that were merged during error recovery
// is released link by link (stack.c, stack_node_release; about 100 bytes a level). Input made for
// it gets one level for 11 bytes at first and, once ParseBudget's burst is spent, one for about 50.
// So small files are parsed on the caller's stack and the few large ones on a stack in proportion.
#include <tree_sitter/api.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "syntax/arena.h"
#include "syntax/budget.h"
#include "syntax/builder.h"
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

struct Job {
  std::string_view bytes;  // of the file
  text::Span part;
  TreeBuilder* builder;
  bool exhausted = false;
};

// The parser lives in the arena like all it makes; only what the scanner holds has to be freed,
// which the end of the parse or the deletion of the parser does.
void ParseInArena(Job& job) {
  Arena& arena = Arena::OfThisThread();
  ParseBudget budget(job.bytes.substr(job.part.begin, job.part.end - job.part.begin), &arena);
  TSTree* parsed = nullptr;
  const bool within = arena.Run([&] {
    TSParser* parser = ts_parser_new();
    ts_parser_set_language(parser, tree_sitter_python());
    parsed = ts_parser_parse_with_options(parser, nullptr, budget.Input(), budget.Options());
    if (budget.Exhausted()) ts_parser_delete(parser);
  });
  job.exhausted = !within || budget.Exhausted() || parsed == nullptr;
  if (job.exhausted)
    job.builder->AddUnparsed(job.part);
  else
    job.builder->Add(job.part, ts_tree_root_node(parsed));
  arena.Reset();
}

// Calls `work(argument)` with the stack that a file of this size may take.
void WithStack(std::size_t file_size, void (*work)(void*), void* argument) {
  if (file_size <= kSmallFile || !RunWithStack(StackFor(file_size), work, argument)) work(argument);
}

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

Tree Parse(const text::Source& source) {
  const std::string_view bytes = source.code();
  TreeBuilder builder(bytes);
  int exhausted = 0;
  const auto parse = [&](text::Span part) {
    Job job{bytes, part, &builder};
    const std::size_t size = part.end - part.begin;
    if (exhausted == kMaxExhausted || !IndentationIsSafe(bytes.substr(part.begin, size)))
      return builder.AddUnparsed(part);
    WithStack(
        size, [](void* argument) { ParseInArena(*static_cast<Job*>(argument)); }, &job);
    exhausted += job.exhausted ? 1 : 0;
  };
  const auto size = static_cast<std::uint32_t>(bytes.size());
  if (source.notebook() == nullptr) {
    parse({0, size});
  } else {
    const auto cells = source.notebook()->cells();
    for (std::size_t i = 0; i < cells.size(); ++i)
      parse({cells[i].span.begin, i + 1 < cells.size() ? cells[i + 1].span.begin : size});
  }
  return builder.Finish();
}

void ParseOnly(const text::Source& source) {
  Arena::OfThisThread();  // installs the allocator, which leaves the plain parser to malloc
  thread_local const PlainParser parser;
  ts_tree_delete(ts_parser_parse_string(parser.get(), nullptr, source.code().data(),
                                        static_cast<std::uint32_t>(source.code().size())));
}

}  // namespace torchleak::syntax
