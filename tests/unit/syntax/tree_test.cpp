#include "syntax/tree.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "outline.h"
#include "syntax/views.h"

namespace torchleak::syntax {
namespace {

// A source and its tree, which refers to it.
struct Parsed {
  explicit Parsed(std::string text)
      : source(*text::Source::FromBytes("a.py", std::move(text))), tree(Parse(source)) {}
  Parsed(const Parsed&) = delete;

  std::string Outline() const { return syntax::Outline(tree, tree.root()); }
  NodeId First(Kind kind) const {
    for (std::uint32_t i = 0; i < tree.size(); ++i)
      if (tree.kind(NodeId{i}) == kind) return NodeId{i};
    return kNoNode;
  }
  std::string_view Text(NodeId id) const { return id == kNoNode ? "-" : tree.Text(id); }
  std::vector<std::string> Errors() const {
    std::vector<std::string> texts;
    for (text::Span span : tree.errors()) texts.emplace_back(source.Text(span));
    return texts;
  }

  text::Source source;
  Tree tree;
};

TEST_CASE("named nodes with their fields, in preorder") {
  CHECK(Parsed("x = f(a, k=1)\n").Outline() ==
        "(module (expression_statement (assignment left:identifier=x right:(call "
        "function:identifier=f arguments:(argument_list identifier=a (keyword_argument "
        "name:identifier=k value:integer=1))))))");
}

TEST_CASE("operators stay as tokens, punctuation and keywords go") {
  CHECK(Parsed("a + b").Outline() ==
        "(module (expression_statement (binary_operator left:identifier=a operator:TOKEN=+ "
        "right:identifier=b)))");
  CHECK(Parsed("x -= -y").Outline() ==
        "(module (expression_statement (augmented_assignment left:identifier=x operator:TOKEN=-= "
        "right:(unary_operator operator:TOKEN=- argument:identifier=y))))");
  CHECK(Parsed("a or b").Outline() ==
        "(module (expression_statement (boolean_operator left:identifier=a operator:TOKEN=or "
        "right:identifier=b)))");
  CHECK(Parsed("a not in b < c").Outline() ==
        "(module (expression_statement (comparison_operator identifier=a operators:TOKEN=not in "
        "identifier=b operators:TOKEN=< identifier=c)))");
  CHECK(Parsed("[x for x in a, b]").Outline() ==
        "(module (expression_statement (list_comprehension body:identifier=x (for_in_clause "
        "left:identifier=x right:identifier=a right:identifier=b))))");
}

TEST_CASE("async is a flag") {
  const Parsed parsed(
      "async def f():\n"
      "  async for x in y: pass\n"
      "  async with a: pass\n"
      "  return [b async for b in c]\n"
      "def g():\n"
      "  for x in y: pass\n");
  std::vector<Kind> marked;
  for (std::uint32_t i = 0; i < parsed.tree.size(); ++i)
    if ((parsed.tree[NodeId{i}].flags & kAsync) != 0) marked.push_back(parsed.tree.kind(NodeId{i}));
  CHECK(marked == std::vector{Kind::kFunctionDefinition, Kind::kForStatement, Kind::kWithStatement,
                              Kind::kForInClause});
  CHECK(FunctionView{parsed.tree, parsed.First(Kind::kFunctionDefinition)}.is_async());
}

TEST_CASE("comments and line continuations are not in the table; comments are listed") {
  const Parsed parsed("# one\nx = \\\n  1  # two\ndef f():  # three\n  # four\n  pass\n#five");
  CHECK(parsed.Outline() ==
        "(module (expression_statement (assignment left:identifier=x right:integer=1)) "
        "(function_definition name:identifier=f parameters:parameters=() body:(block "
        "pass_statement=pass)))");
  std::vector<std::string_view> comments;
  for (text::Span span : parsed.tree.comments()) comments.push_back(parsed.source.Text(span));
  CHECK(comments == std::vector<std::string_view>{"# one", "# two", "# three", "# four", "#five"});
  CHECK(parsed.tree.errors().empty());
}

TEST_CASE("strings keep their parts") {
  CHECK(Parsed("f\"a{x!r:>{w}}\"").Outline() ==
        "(module (expression_statement (string string_start=f\" string_content=a (interpolation "
        "expression:identifier=x type_conversion:type_conversion=!r "
        "format_specifier:(format_specifier (format_expression expression:identifier=w))) "
        "string_end=\")))");
}

TEST_CASE("the root is a module that covers the file, whatever is in it") {
  for (const char* text : {"", "\n\n", "   # only a comment\n", "\n\n  x = 1\n\n", ")", "\xFF"}) {
    CAPTURE(text);
    const Parsed parsed(text);
    CHECK(parsed.tree.kind(parsed.tree.root()) == Kind::kModule);
    CHECK(parsed.tree.Parent(parsed.tree.root()) == kNoNode);
    CHECK(parsed.tree.Text(parsed.tree.root()) == parsed.source.bytes());
    CHECK(Index(parsed.tree.End(parsed.tree.root())) == parsed.tree.size());
  }
}

TEST_CASE("children, siblings and fields") {
  const Parsed parsed("f(a, b, c=1)");
  const Tree& tree = parsed.tree;
  const CallView call{tree, parsed.First(Kind::kCall)};
  std::vector<std::string_view> arguments;
  for (NodeId id : tree.Children(call.arguments())) arguments.push_back(tree.Text(id));
  CHECK(arguments == std::vector<std::string_view>{"a", "b", "c=1"});
  CHECK(tree.Text(call.function()) == "f");
  CHECK(tree.Child(call.id, Field::kBody) == kNoNode);
  CHECK(tree.NextSibling(call.arguments()) == kNoNode);
  CHECK(tree.NextSibling(tree.root()) == kNoNode);
  CHECK(tree.FirstChild(call.function()) == kNoNode);
}

TEST_CASE("the innermost node at an offset") {
  const Parsed parsed("def f(x):\n  return g(x) + 10\n\n# end\n");
  const Tree& tree = parsed.tree;
  const auto at = [&](std::string_view word, std::uint32_t step = 0) {
    return tree.At(static_cast<std::uint32_t>(parsed.source.bytes().find(word)) + step);
  };
  CHECK(tree.kind(at("def")) == Kind::kFunctionDefinition);
  CHECK(tree.Text(at("f(x)")) == "f");
  CHECK(tree.kind(at("(x)")) == Kind::kParameters);
  CHECK(tree.kind(at("return")) == Kind::kReturnStatement);
  CHECK(tree.kind(at("g(x)", 1)) == Kind::kArgumentList);
  CHECK(tree.Text(at("+")) == "+");
  CHECK(tree.kind(at("10", 1)) == Kind::kInteger);
  CHECK(tree.kind(at("10", 2)) == Kind::kModule);
  CHECK(tree.kind(at("# end")) == Kind::kModule);
  CHECK(tree.At(0) != kNoNode);
  CHECK(tree.At(100000) == tree.root());
  CHECK(Parsed("").tree.At(0) == NodeId{0});
}

TEST_CASE("an error is listed and marked upwards; the rest of the file is there") {
  const Parsed parsed("def f():\n  return 1\n\nx = f(a b)\n\ndef g():\n  return 2\n");
  CHECK(parsed.Errors() == std::vector<std::string>{"b"});
  const NodeId error = parsed.First(Kind::kError);
  REQUIRE(error != kNoNode);
  for (NodeId id = error; id != kNoNode; id = parsed.tree.Parent(id))
    CHECK((parsed.tree[id].flags & kHasError) != 0);
  int functions = 0;
  for (NodeId id : parsed.tree.Children(parsed.tree.root())) {
    if (parsed.tree.kind(id) != Kind::kFunctionDefinition) continue;
    ++functions;
    CHECK((parsed.tree[id].flags & kHasError) == 0);
  }
  CHECK(functions == 2);
}

TEST_CASE("missing tokens are errors of no length at the place where they should be") {
  const Parsed parsed("def f(:\n  pass\nx = 1\n");
  REQUIRE(parsed.tree.errors().size() == 1);
  CHECK(parsed.tree.errors()[0] == text::Span{6, 6});
}

TEST_CASE("errors: outermost only, in source order") {
  const Parsed parsed(
      "class A:\n  def f(self):\n    x = [1, 2\n  def g(self):\n    return 3\nz = )\n");
  const std::vector<text::Span>& errors = parsed.tree.errors();
  REQUIRE(errors.size() >= 2);
  for (std::size_t i = 1; i < errors.size(); ++i) CHECK(errors[i - 1].end <= errors[i].begin);
  CHECK(parsed.source.PositionOf(errors.front().begin).row == 3);
}

TEST_CASE("a file without errors has none and no marks") {
  const Parsed parsed("x = 1\nfor a in b:\n  pass\nelse:\n  pass\n");
  CHECK(parsed.tree.errors().empty());
  for (std::uint32_t i = 0; i < parsed.tree.size(); ++i)
    CHECK((parsed.tree[NodeId{i}].flags & kHasError) == 0);
}

TEST_CASE("Python 2 statements parse") {
  const Parsed parsed(
      "print 'a', b\nprint >>f, a\nexec 'x' in y\nraise E, 'x'\n"
      "try:\n  a\nexcept E, e:\n  b\nif a <> b: pass\nx = 0777\n");
  CHECK(parsed.tree.errors().empty());
  CHECK(parsed.First(Kind::kPrintStatement) != kNoNode);
  CHECK(parsed.First(Kind::kExecStatement) != kNoNode);
}

TEST_CASE("tabs, form feeds, CRLF and non-ASCII names") {
  const Parsed parsed("def f():\r\n\tπ = '😀'\r\n\treturn π\r\n\f\r\nx = 1\r\n");
  CHECK(parsed.tree.errors().empty());
  const NodeId name = parsed.tree.Child(parsed.First(Kind::kAssignment), Field::kLeft);
  CHECK(parsed.Text(name) == "π");
  CHECK(parsed.source.PositionOf(parsed.tree[name].begin) == text::Position{2, 2});
}

TEST_CASE("views") {
  SUBCASE("with") {
    const Parsed parsed("with a() as b, c: pass");
    const Tree& tree = parsed.tree;
    std::vector<std::string> parts;
    for (NodeId id : tree.Children(parsed.First(Kind::kWithClause))) {
      const WithItemView item{tree, id};
      parts.push_back(std::string(parsed.Text(item.value())) + " as " +
                      std::string(parsed.Text(item.target())));
    }
    CHECK(parts == std::vector<std::string>{"a() as b", "c as -"});
  }
  SUBCASE("assignments") {
    const Parsed parsed("x: T = 1\ny += 2\nz: U\n");
    const AssignmentView assignment{parsed.tree, parsed.First(Kind::kAssignment)};
    CHECK(parsed.Text(assignment.left()) == "x");
    CHECK(parsed.Text(assignment.type()) == "T");
    CHECK(parsed.Text(assignment.right()) == "1");
    const AugmentedAssignmentView augmented{parsed.tree, parsed.First(Kind::kAugmentedAssignment)};
    CHECK(parsed.Text(augmented.op()) == "+=");
  }
  SUBCASE("loops and branches") {
    const Parsed parsed("for i in n:\n  a\nelse:\n  b\nwhile c:\n  d\nif e:\n  f\nelif g:\n  h\n");
    const ForView loop{parsed.tree, parsed.First(Kind::kForStatement)};
    CHECK(parsed.Text(loop.left()) == "i");
    CHECK(parsed.Text(loop.right()) == "n");
    CHECK(parsed.Text(loop.body()) == "a");
    CHECK(parsed.tree.kind(loop.alternative()) == Kind::kElseClause);
    CHECK_FALSE(loop.is_async());
    const WhileView repeat{parsed.tree, parsed.First(Kind::kWhileStatement)};
    CHECK(parsed.Text(repeat.condition()) == "c");
    CHECK(repeat.alternative() == kNoNode);
    const IfView branch{parsed.tree, parsed.First(Kind::kIfStatement)};
    CHECK(parsed.Text(branch.consequence()) == "f");
    CHECK(parsed.tree.kind(branch.alternative()) == Kind::kElifClause);
  }
  SUBCASE("definitions") {
    const Parsed parsed("class A(B):\n  def f(self) -> C: return self.x[0](k=1)\n");
    const ClassView type{parsed.tree, parsed.First(Kind::kClassDefinition)};
    CHECK(parsed.Text(type.name()) == "A");
    CHECK(parsed.Text(type.superclasses()) == "(B)");
    const FunctionView function{parsed.tree, parsed.First(Kind::kFunctionDefinition)};
    CHECK(parsed.Text(function.return_type()) == "C");
    CHECK(parsed.Text(function.parameters()) == "(self)");
    const AttributeView attribute{parsed.tree, parsed.First(Kind::kAttribute)};
    CHECK(parsed.Text(attribute.object()) == "self");
    CHECK(parsed.Text(attribute.attribute()) == "x");
    const SubscriptView subscript{parsed.tree, parsed.First(Kind::kSubscript)};
    CHECK(parsed.Text(subscript.subscript()) == "0");
    const KeywordArgumentView keyword{parsed.tree, parsed.First(Kind::kKeywordArgument)};
    CHECK(parsed.Text(keyword.value()) == "1");
  }
}

}  // namespace
}  // namespace torchleak::syntax
