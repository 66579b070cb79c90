// FreshParser: the parts of one file, each parsed from nothing within its budget.
//
//   TreeBuilder builder(source.code());
//   FreshParser fresh(source.code(), &builder);
//   for (const text::Span part : PartsOf(source)) fresh.Add(part);
//   Tree tree = builder.Finish();
//
// Parse() is no more than this. Whoever has the tree of a part already may give that to the builder
// instead, but must have asked Refuses() first, so that all files get what Parse() gives them.
#pragma once

#include <tree_sitter/api.h>

#include <cstddef>
#include <string_view>
#include <vector>

#include "syntax/builder.h"
#include "text/source.h"

namespace torchleak::syntax {

// What is parsed by itself: the cells of a notebook, or the whole of any other file.
std::vector<text::Span> PartsOf(const text::Source& source);

// Calls `work(argument)` with the stack that a part of this size may take, as a rule the caller's.
void WithStack(std::size_t part_size, void (*work)(void*), void* argument);

// The parser of this thread for trees that live on; they are made with malloc and may be deleted on
// any thread.
TSParser* ParserOfThisThread();

class FreshParser {
 public:
  FreshParser(std::string_view bytes, TreeBuilder* builder) : bytes_(bytes), builder_(builder) {}

  // Whether Add() does not even begin with this part.
  bool Refuses(text::Span part) const;
  // Gives the builder the nodes of the part, or one error over all of it.
  void Add(text::Span part);
  // Whether the part that was added last took more than its budget.
  bool exhausted() const { return exhausted_; }

 private:
  std::string_view Text(text::Span part) const {
    return bytes_.substr(part.begin, part.end - part.begin);
  }
  void ParseInArena(text::Span part);

  std::string_view bytes_;
  TreeBuilder* builder_;
  bool exhausted_ = false;
  int exhausted_count_ = 0;
};

}  // namespace torchleak::syntax
