// The cursor visits every visible node once, tokens included. More than half of them are tokens
// that the table leaves out; for these only the symbol is looked up. The table itself serves as
// the stack: closing a node reads its parent from it.
#include "syntax/builder.h"

#include <algorithm>

namespace torchleak::syntax {
namespace {

class Cursor {
 public:
  explicit Cursor(TSNode root) : cursor_(ts_tree_cursor_new(root)) {}
  ~Cursor() { ts_tree_cursor_delete(&cursor_); }
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;
  TSTreeCursor* get() { return &cursor_; }

 private:
  TSTreeCursor cursor_;
};

}  // namespace

TreeBuilder::TreeBuilder(std::string_view bytes) {
  tree_.bytes_ = bytes;
  // The parser's root begins at its first token; ours covers the file.
  tree_.nodes_.push_back({.kind = Kind::kModule,
                          .field = Field::kNone,
                          .flags = 0,
                          .parent = kNoNode,
                          .end_id = NodeId{1},
                          .begin = 0,
                          .end = static_cast<std::uint32_t>(bytes.size())});
}

void TreeBuilder::Add(text::Span part, TSNode root) {
  base_ = part.begin;
  tree_.parts_.push_back(part.begin);
  has_errors_ = ts_node_has_error(root);
  if (has_errors_) tree_.nodes_.front().flags |= kHasError;
  const std::size_t known = tree_.errors_.size();
  // One part is the rule: then the table is made in one piece.
  if (tree_.nodes_.size() == 1)
    tree_.nodes_.reserve(std::size_t{ts_node_descendant_count(root)} * 5 / 8 + 8);
  Open(tree_.root());
  Cursor cursor(root);
  Walk(cursor.get());
  // An ERROR root with nothing narrower inside to point at.
  if (has_errors_ && tree_.errors_.size() == known) tree_.errors_.push_back(part);
}

void TreeBuilder::AddUnparsed(text::Span part) {
  tree_.parts_.push_back(part.begin);
  tree_.nodes_.front().flags |= kHasError;
  tree_.errors_.push_back(part);
}

Tree TreeBuilder::Finish() {
  Close(tree_.root());
  return std::move(tree_);
}

void TreeBuilder::Walk(TSTreeCursor* cursor) {
  if (!ts_tree_cursor_goto_first_child(cursor)) return;
  for (;;) {
    if (Enter(cursor)) {
      const NodeId entered{Index(Next()) - 1};
      if (ts_tree_cursor_goto_first_child(cursor)) {
        Open(entered);
        continue;
      }
      Close(entered);
    }
    while (!ts_tree_cursor_goto_next_sibling(cursor)) {
      if (parent_ == NodeId{0}) return;
      Close(parent_);
      Open(tree_.Parent(parent_));
      ts_tree_cursor_goto_parent(cursor);
    }
  }
}

bool TreeBuilder::Enter(const TSTreeCursor* cursor) {
  const TSNode node = ts_tree_cursor_current_node(cursor);
  const SymbolInfo info = symbols_.Info(ts_node_symbol(node));
  if (has_errors_) NoteErrors(node, info.kind == Kind::kError);
  switch (info.role) {
    case Role::kNode:
      AddNode(node, info.kind, symbols_.FieldOf(ts_tree_cursor_current_field_id(cursor)));
      return true;
    case Role::kToken:
      if (keeps_tokens_) {
        const Field field = symbols_.FieldOf(ts_tree_cursor_current_field_id(cursor));
        if (field != Field::kNone) AddNode(node, Kind::kToken, field);
      }
      return false;
    case Role::kAsync:
      tree_.nodes_[Index(parent_)].flags |= kAsync;
      return false;
    case Role::kComment:
      tree_.comments_.push_back(SpanOf(node));
      return false;
    case Role::kDropped:
      return false;
  }
  return false;
}

void TreeBuilder::AddNode(TSNode node, Kind kind, Field field) {
  const bool has_error = has_errors_ && ts_node_has_error(node);
  if (kind == Kind::kError && open_error_ == kNoNode) open_error_ = Next();
  tree_.nodes_.push_back({.kind = kind,
                          .field = field,
                          .flags = static_cast<std::uint8_t>(has_error ? kHasError : 0),
                          .parent = parent_,
                          .end_id = NodeId{Index(Next()) + 1},
                          .begin = base_ + ts_node_start_byte(node),
                          .end = base_ + ts_node_end_byte(node)});
}

void TreeBuilder::NoteErrors(TSNode node, bool is_error) {
  if (open_error_ != kNoNode) return;
  if (is_error || ts_node_is_missing(node)) tree_.errors_.push_back(SpanOf(node));
}

void TreeBuilder::Open(NodeId id) {
  parent_ = id;
  keeps_tokens_ = SymbolTable::KeepsTokens(tree_.kind(id));
}

void TreeBuilder::Close(NodeId id) {
  tree_.nodes_[Index(id)].end_id = Next();
  if (id == open_error_) open_error_ = kNoNode;
}

}  // namespace torchleak::syntax
