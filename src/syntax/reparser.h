// Reparser: parses one file again and again while it is edited, each time from what was there.
//
// Nobody has to tell it the edits: the text is compared with the last one that parsed, and what
// differs between their common beginning and their common end is the edit. The parser then reuses
// all of the old tree that the edit cannot have touched (figures: README.md).
//
//   Reparser reparser;                       // for each open file
//   Tree tree = reparser.Parse(source);      // the very table that Parse(source) gives
//   tree = reparser.Parse(edited_source);
//
// The result never depends on what came before. What the parser makes of broken code does depend on
// it, so a text with errors is parsed from nothing, and the tree of the last text without errors
// waits for the repair. A notebook keeps a tree for each of its cells.
//
// Holds a copy of the text and about 25 times its size in trees, all of which goes with the object.
// Any thread may call Parse(), one at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/tree.h"
#include "text/source.h"

struct TSTree;  // tree-sitter's

namespace torchleak::syntax {

class FreshParser;
class TreeBuilder;

class Reparser {
 public:
  // The source must outlive the tree, as with the function of this name.
  Tree Parse(const text::Source& source);

 private:
  struct Delete {
    void operator()(TSTree* tree) const;
  };
  using OwnedTree = std::unique_ptr<TSTree, Delete>;
  struct Part {
    OwnedTree tree;          // has no errors; null before there was one
    std::string text;        // of the tree
    bool is_broken = false;  // the last text had errors
  };

  // Makes parts_ those that these texts come from.
  void Align(const std::vector<std::string_view>& texts);
  void Add(text::Span span, std::string_view text, Part* part, TreeBuilder* builder,
           FreshParser* fresh);
  // Makes the part's tree that of `text`; false when it has errors, or took too long.
  static bool Update(std::string_view text, Part* part);
  static OwnedTree ParseFrom(const TSTree* old, std::string_view text);

  std::vector<Part> parts_;
};

}  // namespace torchleak::syntax
