// TreeBuilder: one pass of a tree-sitter cursor that writes the flat table of Tree.
#pragma once

#include <tree_sitter/api.h>

#include <string_view>

#include "syntax/symbols.h"
#include "syntax/tree.h"

namespace torchleak::syntax {

class TreeBuilder {
 public:
  // A module without children. The parts of the file follow, in order.
  explicit TreeBuilder(std::string_view bytes);

  // `root` may be the parser's ERROR node; the root of the table is a module all the same.
  void Add(text::Span part, TSNode root);
  // One error over the whole part, and no nodes.
  void AddUnparsed(text::Span part);
  std::size_t ErrorCount() const { return tree_.errors_.size(); }
  Tree Finish();

 private:
  void Walk(TSTreeCursor* cursor);
  // Takes in the cursor's node; true when it has become a node, whose children count too.
  bool Enter(const TSTreeCursor* cursor);
  void AddNode(TSNode node, Kind kind, Field field);
  void NoteErrors(TSNode node, bool is_error);
  // Makes `id` the parent of what comes.
  void Open(NodeId id);
  void Close(NodeId id);
  text::Span SpanOf(TSNode node) const {
    return {base_ + ts_node_start_byte(node), base_ + ts_node_end_byte(node)};
  }
  NodeId Next() const { return NodeId{static_cast<std::uint32_t>(tree_.nodes_.size())}; }

  const SymbolTable& symbols_ = SymbolTable::Instance();
  Tree tree_;
  NodeId parent_ = kNoNode;
  bool keeps_tokens_ = false;    // of parent_
  bool has_errors_ = false;      // anywhere in the part
  std::uint32_t base_ = 0;       // where the part begins
  NodeId open_error_ = kNoNode;  // the outermost ERROR around the cursor
};

}  // namespace torchleak::syntax
