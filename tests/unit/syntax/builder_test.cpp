// The table against the parser's own tree, node for node, on one file with all of the grammar.
#include <doctest/doctest.h>
#include <tree_sitter/api.h>

#include <atomic>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "outline.h"
#include "syntax/symbols.h"
#include "syntax/tree.h"

namespace torchleak::syntax {
namespace {

std::string ReadSample(const char* name) {
  std::ifstream file(std::string(TORCHLEAK_SOURCE_DIR "/tests/unit/syntax/samples/") + name);
  REQUIRE(file);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

text::Source SourceOf(std::string text) {
  return *text::Source::FromBytes("sample.py", std::move(text));
}

bool operator==(const Node& a, const Node& b) {
  return a.kind == b.kind && a.field == b.field && a.flags == b.flags && a.parent == b.parent &&
         a.end_id == b.end_id && a.begin == b.begin && a.end == b.end;
}

// The same table made the slow way: through ts_node_child, with field names as strings.
class Oracle {
 public:
  explicit Oracle(TSNode root) { Visit(root, nullptr, kNoNode); }

  std::vector<Node> nodes;

 private:
  void Visit(TSNode node, const char* field, NodeId parent) {
    const std::string type = ts_node_type(node);
    const bool named = ts_node_is_named(node);
    if (type == "comment" || type == "line_continuation") return;
    if (!named && type == "async") nodes[Index(parent)].flags |= kAsync;
    if (!named && (field == nullptr || type == ",")) return;
    const NodeId id{static_cast<std::uint32_t>(nodes.size())};
    nodes.push_back({KindOf(named ? type : "TOKEN"), FieldOf(field),
                     static_cast<std::uint8_t>(ts_node_has_error(node) ? kHasError : 0), parent,
                     NodeId{0}, ts_node_start_byte(node), ts_node_end_byte(node)});
    if (named) VisitChildren(node, id);
    nodes[Index(id)].end_id = NodeId{static_cast<std::uint32_t>(nodes.size())};
  }

  void VisitChildren(TSNode node, NodeId id) {
    TSTreeCursor cursor = ts_tree_cursor_new(node);
    if (ts_tree_cursor_goto_first_child(&cursor)) {
      do {
        Visit(ts_tree_cursor_current_node(&cursor), ts_tree_cursor_current_field_name(&cursor), id);
      } while (ts_tree_cursor_goto_next_sibling(&cursor));
    }
    ts_tree_cursor_delete(&cursor);
  }

  static Kind KindOf(std::string_view name) {
    for (std::uint16_t i = 0; i < kKindCount; ++i)
      if (Name(static_cast<Kind>(i)) == name) return static_cast<Kind>(i);
    return Kind::kUnknown;
  }
  static Field FieldOf(const char* name) {
    for (std::uint8_t i = 0; name != nullptr && i < kFieldCount; ++i)
      if (Name(static_cast<Field>(i)) == name) return static_cast<Field>(i);
    return Field::kNone;
  }
};

void CheckAgainstOracle(const text::Source& source) {
  TSParser* parser = ts_parser_new();
  REQUIRE(ts_parser_set_language(parser, tree_sitter_python()));
  TSTree* parsed = ts_parser_parse_string(parser, nullptr, source.bytes().data(),
                                          static_cast<std::uint32_t>(source.bytes().size()));
  Oracle oracle(ts_tree_root_node(parsed));
  ts_tree_delete(parsed);
  ts_parser_delete(parser);

  // The root is ours: always a module, always the whole file.
  oracle.nodes[0].kind = Kind::kModule;
  oracle.nodes[0].begin = 0;
  oracle.nodes[0].end = static_cast<std::uint32_t>(source.bytes().size());
  const Tree tree = Parse(source);
  REQUIRE(tree.size() == oracle.nodes.size());
  for (std::uint32_t i = 0; i < tree.size(); ++i) {
    CAPTURE(i);
    CAPTURE(Name(oracle.nodes[i].kind));
    REQUIRE(tree[NodeId{i}] == oracle.nodes[i]);
  }
}

TEST_CASE("the table is the parser's tree without what it leaves out") {
  CheckAgainstOracle(SourceOf(ReadSample("grammar.py.txt")));
}

TEST_CASE("so it is wherever the file is cut off") {
  const std::string text = ReadSample("grammar.py.txt");
  for (std::size_t size = 0; size < text.size(); size += 37) {
    CAPTURE(size);
    CheckAgainstOracle(SourceOf(text.substr(0, size)));
  }
}

TEST_CASE("so it is when a piece is missing") {
  const std::string text = ReadSample("grammar.py.txt");
  for (std::size_t at = 0; at + 11 < text.size(); at += 53) {
    CAPTURE(at);
    CheckAgainstOracle(SourceOf(text.substr(0, at) + text.substr(at + 11)));
  }
}

TEST_CASE("the sample has every kind of node") {
  const text::Source source = SourceOf(ReadSample("grammar.py.txt"));
  const Tree tree = Parse(source);
  CHECK(tree.errors().empty());
  std::vector<bool> seen(kKindCount, false);
  for (std::uint32_t i = 0; i < tree.size(); ++i)
    seen[static_cast<std::size_t>(tree.kind(NodeId{i}))] = true;
  for (std::size_t i = 0; i < kKindCount; ++i) {
    const auto kind = static_cast<Kind>(i);
    CAPTURE(Name(kind));
    const bool never = kind == Kind::kUnknown || kind == Kind::kError || kind == Kind::kComment ||
                       kind == Kind::kLineContinuation;
    CHECK(seen[i] != never);
  }
}

TEST_CASE("many threads parse at once and agree") {
  const text::Source source = SourceOf(ReadSample("grammar.py.txt"));
  const Tree tree = Parse(source);
  const std::string expected = Outline(tree, tree.root());
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        const Tree mine = Parse(source);
        if (Outline(mine, mine.root()) != expected) ++wrong;
        ParseOnly(source);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace torchleak::syntax
