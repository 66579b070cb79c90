// ParseBudget: keeps one file from taking the parser's time without end.
//
// tree-sitter is linear on real code, but two kinds of input make it quadratic: a long run of
// tokens that fit nowhere (600 kB of `if for while`: 30 s), where error recovery copies an ever
// longer list, and a long run of line continuations, which the Python scanner reads again for each
// of them (100,000 lines: 500 s). Wall time would make results depend on the machine, so the budget
// counts work instead: bytes that the parser allocates and bytes that it reads. Measured: real
// files allocate 20 to 100 bytes for each of theirs, broken ones no more, C headers 400, the runs
// above 47,000; real files are read 1 to 2 times over, the continuations 15,000 times.
//
// One case shows in neither: thousands of errors with line continuations between, each of which is
// walked over again for each error (240 kB: 50 s). The last resort for that is the thread's CPU
// time, with 2 s and 1 µs for each byte far above what any real file takes (0.07 µs).
#pragma once

#include <tree_sitter/api.h>

#include <cstdint>
#include <string_view>

#include "syntax/arena.h"

namespace torchleak::syntax {

class ParseBudget {
 public:
  // Without an arena the parser allocates with malloc.
  ParseBudget(std::string_view bytes, Arena* arena);

  // Counts the first error that the parser is seen in as the end of the budget: for whoever has no
  // use for a tree with errors. Some are overlooked.
  void StopAtErrors() { stops_at_errors_ = true; }

  // What ts_parser_parse_with_options takes; both refer to this object.
  TSInput Input();
  TSParseOptions Options();
  // The tree is of no use then: the parser was stopped, or saw a false end of the file.
  bool Exhausted() const { return exhausted_; }

 private:
  static const char* Read(void* self, std::uint32_t offset, TSPoint, std::uint32_t* length);
  static bool OverSpent(TSParseState* state);

  std::uint64_t Allocated() const;

  std::string_view bytes_;
  Arena* arena_;
  bool stops_at_errors_ = false;
  std::uint64_t reads_left_;
  std::uint64_t allocated_;   // Allocated() when last looked at
  std::uint64_t credit_;      // bytes that may be allocated from there
  std::uint64_t time_limit_;  // nanoseconds of the thread's CPU time
  std::uint32_t calls_ = 0;   // of OverSpent; the clock is looked at every sixteenth
  std::uint32_t offset_ = 0;  // how far the parser has come
  bool exhausted_ = false;
};

// False when the file has so many levels of indentation that the grammar's scanner would overrun
// the 1,024 bytes it keeps them in (from 384 levels on; an assertion or memory corruption). Python
// itself stops at 100. Not a count of levels but of different indentations, which bounds it.
bool IndentationIsSafe(std::string_view bytes);

}  // namespace torchleak::syntax
