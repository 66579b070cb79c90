#include "lsp/hover_text.h"

#include <doctest/doctest.h>

namespace torchleak::lsp {
namespace {

TEST_CASE("prose keeps its code, and nothing else is Markdown") {
  const HoverText out(true);
  CHECK(out.Prose("`loss` is kept") == "`loss` is kept");
  CHECK(out.Prose("a <b> *c* [d](e) f|g & `h_i|j`") ==
        "a \\<b\\> \\*c\\* \\[d\\](e) f\\|g \\& `h_i|j`");
  CHECK(out.Prose("retain_graph=True in __init__") == "retain_graph=True in \\_\\_init\\_\\_");
  CHECK(out.Prose("an odd ` and `` none") == "an odd ` and `\\` none");
  CHECK(out.Prose("two\nlines\t.") == "two lines .");
  CHECK(HoverText(false).Prose("`loss` is <kept>") == "'loss' is <kept>");
}

TEST_CASE("source text is one line, in a fence that it cannot end") {
  const HoverText out(true);
  CHECK(out.Code("f(x)") == "`f(x)`");
  CHECK(out.Code("f(x,\n  y)") == "`f(x, …`");
  CHECK(out.Code("'``' + \"`") == "``` '``' + \"` ```");
  CHECK(out.Code(std::string(79, 'a') + "é" + std::string(9, 'b')) ==
        "`" + std::string(79, 'a') + " …`");
  CHECK(HoverText(false).Code("f(x)") == "f(x)");
}

TEST_CASE("links") {
  const HoverText out(true);
  CHECK(out.Link("line 1", "file:///a%20(1)/b c.py#L1") ==
        "[line 1](file:///a%20%281%29/b%20c.py#L1)");
  CHECK(out.Link("a_b.py:1", "") == "a_b.py:1");
  CHECK(HoverText(false).Link("line 1", "file:///a.py#L1") == "line 1");
}

TEST_CASE("blocks") {
  HoverText out(true);
  CHECK(out.empty());
  out.Rule();  // nothing to part
  out.Paragraph("a");
  out.Bullet("b");
  out.Bullet("c");
  out.Item(1, "d");
  out.Rule();
  out.More("e", "https://e");
  CHECK(out.Take() == "a\n\n- b\n- c\n\n1. d\n\n---\n\n[e](https://e)");
  HoverText plain(false);
  plain.Page("Uses `code` and **force**.");
  plain.More("e", "https://e");
  CHECK(plain.Take() == "Uses code and force.\n\ne: https://e");
}

}  // namespace
}  // namespace torchleak::lsp
