// Suppressions that silence nothing, with the fix; and those that are not understood.
#include "code.h"
#include "text/notebook.h"

namespace torchleak::suppress {
namespace {

std::string Said(const std::vector<findings::Finding>& found) {
  std::string said;
  for (const findings::Finding& f : found) said += f.message + "\n";
  return said;
}

TEST_CASE("the unused code goes, and nothing else") {
  const std::array<std::pair<const char*, const char*>, 26> cases{{
      {"f()  # noqa: TLK101\n", "f()\n"},
      {"f()\t# noqa: TLK101  \n", "f()\n"},
      {"f()  # noqa: TLK101\r\ng()\r\n", "f()\r\ng()\r\n"},
      {"f()  # noqa: TLK101", "f()"},
      {"f()  # noqa: TLK101 for a reason\n", "f()\n"},
      {"f()  # noqa: TLK101  # for a reader\n", "f()  # for a reader\n"},
      {"f()  # noqa: TLK101# for a reader\n", "f()  # for a reader\n"},
      {"f()  # type: ignore # noqa: TLK101\n", "f()  # type: ignore\n"},
      {"f()  # a # noqa: TLK101 # b\n", "f()  # a # b\n"},
      {"f()  # noqa: E501, TLK101\n", "f()  # noqa: E501\n"},
      {"f()  # noqa: TLK101, E501\n", "f()  # noqa: E501\n"},
      {"f()  # noqa: E501 TLK101,W1 why\n", "f()  # noqa: E501 W1 why\n"},
      {"f()  # noqa: TLK101,TLK203 E501\n", "f()  # noqa: E501\n"},
      {"f()  # noqa: E501,TLK101,TLK203\n", "f()  # noqa: E501\n"},
      {"leak()  # noqa: TLK203, TLK101, TLK204 # x\n", "leak()  # noqa: TLK101 # x\n"},
      {"leak()  # noqa: TLK101, TLK101\n", "leak()  # noqa: TLK101\n"},
      {"    # noqa: TLK101\nf()\n", "f()\n"},
      {"f()\n# torchleak: ignore[TLK101]", "f()\n"},
      {"if a:\n    # torchleak: ignore[TLK101, slow-thing] why\n    leak()\n",
       "if a:\n    # torchleak: ignore[TLK101] why\n    leak()\n"},
      {"# torchleak: ignore-file[TLK101] why\nf()\n", "f()\n"},
      {"# torchleak: disable[TLK101] why\nf()\n# torchleak: enable[TLK101] why\ng()\n",
       "f()\ng()\n"},
      {"# torchleak: disable[TLK101, TLK203]\nleak()\n# torchleak: enable[TLK203, TLK101]\n",
       "# torchleak: disable[TLK101]\nleak()\n# torchleak: enable[TLK101]\n"},
      {"# torchleak: disable[TLK203]\n# torchleak: disable[TLK101]\nleak()\n# torchleak: enable\n",
       "# torchleak: disable[TLK101]\nleak()\n# torchleak: enable\n"},
      {"# torchleak: disable[TLK203]\n# torchleak: disable[TLK101]\nf()\n# torchleak: enable\n",
       "f()\n"},
      {"# torchleak: disable[TLK101]\n# torchleak: disable[TLK101]\nf()\n"
       "# torchleak: enable[TLK101]\nleak()\n",
       "f()\nleak()\n"},
      {"f()  # torchleak: ignore[TLK101] see #12\n", "f()\n"},
  }};
  for (const auto& [before, after] : cases) {
    CAPTURE(before);
    CHECK_EQ(Tidied(before), after);
  }
}

TEST_CASE("in a notebook an edit stays within its cell, which ends as it did") {
  const auto tidied = [](const std::vector<std::string>& cells) {
    const Code c(Notebook(cells), "a.ipynb");
    const auto unused = UnusedIn(c);
    REQUIRE_EQ(unused.size(), 1);
    std::vector<text::Notebook::Edit> edits;
    for (const findings::Edit& edit : unused[0].fix->edits)
      edits.push_back({edit.location.span, edit.content});
    auto after = c.source.notebook()->Rewrite(edits);
    REQUIRE(after);
    std::string sources;
    const nlohmann::json notebook = nlohmann::json::parse(*after);
    for (const auto& cell : notebook["cells"])
      sources += (sources.empty() ? "" : "|") + cell["source"].get<std::string>();
    return sources;
  };
  CHECK_EQ(tidied({"a()\n# noqa: TLK101\nb()", "c()"}), "a()\nb()|c()");
  CHECK_EQ(tidied({"a()\n# noqa: TLK101", "c()"}), "a()|c()");
  CHECK_EQ(tidied({"a()", "# noqa: TLK101", "c()"}), "a()||c()");
  CHECK_EQ(tidied({"a()", "# noqa: TLK101\nb()", "c()"}), "a()|b()|c()");
  CHECK_EQ(tidied({"a()", "b()  # noqa: TLK101"}), "a()|b()");
  // The statement after it is in another cell.
  CHECK_EQ(tidied({"a()\n# torchleak: ignore[TLK101]", "leak()"}), "a()|leak()");
}

TEST_CASE("a notebook: the file is all cells, shell is no Python, magics may be commented") {
  const auto left = [](const std::vector<std::string>& cells) {
    const Code c(Notebook(cells), "a.ipynb");
    std::vector<findings::Finding> found = c.Findings();
    auto suppressions = Suppressions::Parse(c.source, c.tree, kRules);
    suppressions.Apply(&found);
    return Told(c.source, found) + "|" + Told(c.source, suppressions.Unused(kAllCodes));
  };
  CHECK_EQ(left({"leak()", "# torchleak: ignore-file[TLK101]", "leak()"}), "|");
  CHECK_EQ(left({"!echo # noqa: TLK101", "f()"}), "|");
  CHECK_EQ(left({"%time leak()  # noqa: TLK101"}), "|");
  CHECK_EQ(left({"%matplotlib inline\nleak(  # noqa: TLK101\n)"}), "|");
}

TEST_CASE("what is used, or not for us to judge, stays") {
  for (const char* code :
       {"leak()  # noqa: TLK101\n", "leak()  # noqa: TLK1\n", "f()  # noqa\n",
        "f()  # noqa: E501\n", "f()  # torchleak: ignore\n", "f()  # torchleak: ignore[ALL]\n",
        "# torchleak: ignore-file\n", "leak()  # noqa: TLK101  # torchleak: ignore[TLK101]\n",
        "# torchleak: ignore-file[TLK101]\nleak()  # noqa: TLK101\n",
        "# torchleak: ignore-file[TLK001]\n", "# torchleak: ignore-file[TLK0]\n",
        "# torchleak: disable\nf()\n# torchleak: enable\n", "f()  # noqa: TLK999\n",
        "f(1)  # torchleak: ignore[nothing]\n"}) {
    CAPTURE(code);
    CHECK_EQ(Tidied(code), code);
  }
}

TEST_CASE("only rules that were checked are judged") {
  const Code c("f()  # noqa: TLK101, TLK203, TLK2\n");
  const auto suppressions = Suppressions::Parse(c.source, c.tree, kRules);
  const auto said = [&](std::vector<std::string_view> checked) {
    return Said(suppressions.Unused(checked));
  };
  CHECK_EQ(said({"TLK001"}), "");
  CHECK_EQ(said({"TLK001", "TLK203"}),
           "nothing is suppressed: there is no finding of `TLK203` on this line\n");
  CHECK_EQ(said({"TLK203", "TLK204"}),
           "nothing is suppressed: there is no finding of `TLK203`, `TLK2` on this line\n");
}

TEST_CASE("what is off by default has to be named to keep a suppression in use") {
  CHECK_EQ(Said(UnusedIn(Code("# torchleak: disable[TLK2, TLK7]\nf()\n"))),
           "nothing is suppressed: there is no finding of `TLK2` in this range\n");
  CHECK_EQ(Said(UnusedIn(Code("f()  # noqa: TLK777\n"))), "");
}

TEST_CASE("an unused suppression says where nothing is") {
  CHECK_EQ(Said(UnusedIn(Code("# torchleak: ignore-file[TLK101]\n"))),
           "nothing is suppressed: there is no finding of `TLK101` in this file\n");
  CHECK_EQ(Said(UnusedIn(Code("# torchleak: disable[TLK101]\n"))),
           "nothing is suppressed: there is no finding of `TLK101` in this range\n");
  CHECK_EQ(
      Said(UnusedIn(Code("# torchleak: disable[TLK101]\n# torchleak: disable[TLK101]\nleak()\n"))),
      "`TLK101` is suppressed here already\n");
  CHECK_EQ(Said(UnusedIn(Code("f()  # noqa: TLK001\n"))),
           "`TLK001` can be suppressed for a file only, with `ignore-file[…]`\n");
}

TEST_CASE("an unused suppression is a finding like others") {
  const Code c("class A:\n    def f(self):\n        g()  # noqa: TLK101\n");
  const auto unused = UnusedIn(c);
  REQUIRE_EQ(unused.size(), 1);
  CHECK_EQ(unused[0].code, "TLK001");
  CHECK_EQ(unused[0].function, "A.f");
  CHECK_EQ(unused[0].severity, findings::Severity::kWarning);
  CHECK_EQ(unused[0].fix->applicability, findings::Applicability::kSafe);
  CHECK_EQ(c.source.Text(unused[0].location.span), "# noqa: TLK101");
}

TEST_CASE("what is wrong, and the way out") {
  struct Case {
    const char* comment;
    const char* message;
    const char* fixed;  // null: no fix
  };
  for (const Case& wrong : {
           Case{"# noqa: TLK999", "there is no rule `TLK999`: nothing is suppressed", nullptr},
           Case{"# noqa: E501, TLK201", "there is no rule `TLK201`: nothing is suppressed",
                "# noqa: E501, TLK001"},
           Case{"# torchleak: ignore[acumulated-tensor] r",
                "there is no rule `acumulated-tensor`: nothing is suppressed",
                "# torchleak: ignore[accumulated-tensor] r"},
           Case{"# torchleak: ignor[TLK101]", "there is no suppression `ignor`",
                "# torchleak: ignore[TLK101]"},
           Case{"# torchleak: whatever", "there is no suppression `whatever`", nullptr},
           Case{"# torchleak:", "this suppression says nothing", nullptr},
           Case{"# torchleak: ignore[TLK101", "the bracket of this suppression is not closed",
                nullptr},
           Case{"# torchleak: ignore[ ]", "this suppression names no rule", nullptr},
           Case{"# torchleak: ignore TLK101 r", "the rules of a suppression stand in brackets",
                "# torchleak: ignore[TLK101] r"},
           Case{"# torchleak: ignore(TLK101) r", "the rules of a suppression stand in brackets",
                "# torchleak: ignore[TLK101] r"},
           Case{"# torchleak: ignore=TLK101,TLK203", "the rules of a suppression stand in brackets",
                nullptr},
           Case{"# torchleak: ignore;", "this suppression is not understood", nullptr},
           Case{"# torchleak: disable[TLK101]", "`disable` must stand on a line of its own",
                nullptr},
           Case{"# torchleak: enable", "`enable` must stand on a line of its own", nullptr},
           Case{"# torchleak: ignore-file", "`ignore-file` must stand on a line of its own",
                nullptr},
       }) {
    CAPTURE(wrong.comment);
    const Code c(std::string("f()  ") + wrong.comment + "\n");
    const auto invalid = InvalidIn(c);
    REQUIRE_EQ(invalid.size(), 1);
    CHECK_EQ(invalid[0].message, wrong.message);
    CHECK_FALSE(invalid[0].help.empty());
    REQUIRE_EQ(invalid[0].fix.has_value(), wrong.fixed != nullptr);
    if (wrong.fixed == nullptr) continue;
    CHECK_EQ(invalid[0].fix->applicability, findings::Applicability::kUnsafe);
    CHECK_EQ(With(c.source, invalid[0].fix->edits), std::string("f()  ") + wrong.fixed + "\n");
  }
}

TEST_CASE("an enable ends something") {
  CHECK_EQ(Said(InvalidIn(Code("# torchleak: enable[TLK101]\n"))),
           "there is no `disable[TLK101]` above that this could end\n");
  CHECK_EQ(Said(InvalidIn(Code("# torchleak: disable[TLK1]\n# torchleak: enable[TLK101]\n"))),
           "there is no `disable[TLK101]` above that this could end\n");
  CHECK_EQ(Said(InvalidIn(Code("# torchleak: disable[TLK101]\n# torchleak: enable\n"
                               "# torchleak: enable\n"))),
           "there is no `disable` above that this could end\n");
}

TEST_CASE("a quick look sees whatever could be wrong or unused") {
  const auto may = [](std::string_view comment) { return MayNameRules(comment); };
  CHECK(may("# noqa: TLK101"));
  CHECK(may("# NOQA: tlk101"));
  CHECK(may("# noqa: slow-thing"));
  CHECK(may("# TorchLeak: x"));
  CHECK_FALSE(may("# noqa: E501"));
  CHECK_FALSE(may("# noqa"));
  CHECK_FALSE(may("# TLK101"));
  CHECK_FALSE(may("#"));
}

}  // namespace
}  // namespace torchleak::suppress
