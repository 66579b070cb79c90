// Tree: a whole file as a flat table of nodes in preorder. The only layer that knows tree-sitter.
//
// One cursor pass fills the table; afterwards parents, children and siblings are array reads
// (ts_node_parent climbs from the root each time: 48.9 s for 8,000 nested calls). Kept are all
// named nodes except comments (listed apart) and those anonymous tokens that fill a field
// (operators, as Kind::kToken). Walking needs no recursion: a subtree is the id range
// [id, tree.End(id)).
//
//   Tree tree = Parse(source);
//   for (NodeId id : tree.Children(tree.root())) if (tree.kind(id) == Kind::kFunctionDefinition) …
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "syntax/kinds.h"  // enum class Kind (kCall, kForInClause, …) and Field (kFunction, …)
#include "text/source.h"

namespace torchleak::syntax {

enum class NodeId : std::uint32_t {};
inline constexpr NodeId kNoNode{0xFFFFFFFF};
constexpr std::uint32_t Index(NodeId id) { return static_cast<std::uint32_t>(id); }

// 20 bytes. `end_id` is one past the last descendant, so the first child, if any, is id + 1.
struct Node {
  Kind kind;
  Field field;         // field of the parent that this node fills, or Field::kNone
  std::uint8_t flags;  // NodeFlag
  NodeId parent;
  NodeId end_id;        // also the id of the next sibling, when that one has the same parent
  std::uint32_t begin;  // byte offsets
  std::uint32_t end;
};

static_assert(sizeof(Node) == 20);

enum NodeFlag : std::uint8_t {
  kHasError = 1,  // an ERROR or MISSING node lies inside
  kAsync = 2,     // `async def`, `async for`, `async with`, and comprehension clauses
};

class ChildRange;

class Tree {
 public:
  NodeId root() const { return NodeId{0}; }
  std::size_t size() const { return nodes_.size(); }
  const Node& operator[](NodeId id) const { return nodes_[Index(id)]; }
  Kind kind(NodeId id) const { return nodes_[Index(id)].kind; }
  NodeId Parent(NodeId id) const { return nodes_[Index(id)].parent; }  // kNoNode for the root
  NodeId End(NodeId id) const { return nodes_[Index(id)].end_id; }
  NodeId FirstChild(NodeId id) const {  // kNoNode when there is none
    NodeId next{Index(id) + 1};
    return next == End(id) ? kNoNode : next;
  }
  NodeId NextSibling(NodeId id) const {  // kNoNode when there is none
    NodeId next = End(id), parent = Parent(id);
    return parent == kNoNode || next == End(parent) ? kNoNode : next;
  }
  // First child that fills `field`, or kNoNode.
  NodeId Child(NodeId id, Field field) const {
    for (NodeId c = FirstChild(id); c != kNoNode; c = NextSibling(c))
      if (nodes_[Index(c)].field == field) return c;
    return kNoNode;
  }
  ChildRange Children(NodeId id) const;  // range of NodeId, for range-for
  text::Span Span(NodeId id) const { return {nodes_[Index(id)].begin, nodes_[Index(id)].end}; }
  std::string_view Text(NodeId id) const {
    return bytes_.substr((*this)[id].begin, (*this)[id].end - (*this)[id].begin);
  }
  // Innermost node that covers the byte offset.
  NodeId At(std::uint32_t offset) const;

  const std::vector<text::Span>& comments() const { return comments_; }
  // Spans of ERROR and MISSING nodes, outermost only, in source order; empty when the file parses.
  const std::vector<text::Span>& errors() const { return errors_; }
  // Where the parts begin that were parsed each by itself: the cells of a notebook, else one.
  const std::vector<std::uint32_t>& parts() const { return parts_; }

 private:
  friend class TreeBuilder;
  std::string_view bytes_;  // of the Source, which must outlive the tree
  std::vector<Node> nodes_;
  std::vector<text::Span> comments_;
  std::vector<text::Span> errors_;
  std::vector<std::uint32_t> parts_;
};

class ChildRange {
 public:
  class Iterator {
   public:
    Iterator(const Tree* tree, NodeId id) : tree_(tree), id_(id) {}
    NodeId operator*() const { return id_; }
    Iterator& operator++() {
      id_ = tree_->NextSibling(id_);
      return *this;
    }
    bool operator!=(const Iterator& other) const { return id_ != other.id_; }

   private:
    const Tree* tree_;
    NodeId id_;
  };
  ChildRange(const Tree* tree, NodeId parent) : tree_(tree), parent_(parent) {}
  Iterator begin() const { return {tree_, tree_->FirstChild(parent_)}; }
  Iterator end() const { return {tree_, kNoNode}; }

 private:
  const Tree* tree_;
  NodeId parent_;
};

inline ChildRange Tree::Children(NodeId id) const { return {this, id}; }

// Parses the whole file; always returns a tree (errors() tells what did not parse). The cells of a
// notebook are parsed one by one, as its kernel does, so that an error stays in its cell.
// The source must outlive the tree.
Tree Parse(const text::Source& source);

// Parses with tree-sitter alone and throws the tree away: what the benchmark compares with. Has no
// budget, so only for files that Parse() could parse.
void ParseOnly(const text::Source& source);

}  // namespace torchleak::syntax
