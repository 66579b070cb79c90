// TreeBuilder: one pass of a tree-sitter cursor that writes the flat table of Tree.
#pragma once

#include <tree_sitter/api.h>

#include <string_view>

#include "syntax/symbols.h"
#include "syntax/tree.h"

namespace torchleak::syntax {

class TreeBuilder {
 public:
  // `root` may be the parser's ERROR node; the root of the table is a module all the same.
  static Tree Build(std::string_view bytes, TSNode root);
  // A module without children and one error over the whole file.
  static Tree Unparsed(std::string_view bytes);

 private:
  explicit TreeBuilder(std::string_view bytes) { tree_.bytes_ = bytes; }

  void AddRoot();
  void Walk(TSTreeCursor* cursor);
  // Takes in the cursor's node; true when it has become a node, whose children count too.
  bool Enter(const TSTreeCursor* cursor);
  void Add(TSNode node, Kind kind, Field field);
  void NoteErrors(TSNode node, bool is_error);
  // Makes `id` the parent of what comes.
  void Open(NodeId id);
  void Close(NodeId id);
  NodeId Next() const { return NodeId{static_cast<std::uint32_t>(tree_.nodes_.size())}; }

  const SymbolTable& symbols_ = SymbolTable::Instance();
  Tree tree_;
  NodeId parent_ = kNoNode;
  bool keeps_tokens_ = false;    // of parent_
  bool has_errors_ = false;      // anywhere in the file
  NodeId open_error_ = kNoNode;  // the outermost ERROR around the cursor
};

}  // namespace torchleak::syntax
