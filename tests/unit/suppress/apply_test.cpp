// Which findings a comment silences.
#include "code.h"

namespace torchleak::suppress {
namespace {

TEST_CASE("a trailing noqa holds for its line and its rules") {
  CHECK_EQ(Left("leak()\n"), "TLK101:1");
  CHECK_EQ(Left("leak()  # noqa: TLK101\nleak()\n"), "TLK101:2");
  CHECK_EQ(Left("leak()  # noqa: TLK203\n"), "TLK101:1");
  CHECK_EQ(Left("leak(mode)  # noqa\n"), "");
}

TEST_CASE("how a noqa may be written") {
  for (const char* comment : {"# noqa: TLK101",
                              "#noqa:TLK101",
                              "# NOQA: tlk101",
                              "# NoQA : TLK101",
                              "# noqa:  TLK1",
                              "# noqa: TLK",
                              "# noqa: E501, TLK101",
                              "# noqa: E501,TLK101",
                              "# noqa: E501 TLK101",
                              "# noqa: TLK101,TLK203",
                              "# noqa: accumulated-tensor",
                              "# noqa: Accumulated-Tensor, E1",
                              "# noqa: TLK101 # reason",
                              "# noqa: TLK101 we want it",
                              "# noqa: TLK101: we want it",
                              "# type: ignore # noqa: TLK101",
                              "# type: ignore[x]  # noqa: TLK101  # more",
                              "# pylint: disable=x  # noqa",
                              "## noqa: TLK101",
                              "# noqa: TLK101# reason",
                              "# noqa",
                              "# noqa reason",
                              "# torchleak: ignore",
                              "# torchleak: ignore[TLK101]",
                              "# torchleak:ignore[TLK101] reason",
                              "#torchleak: ignore[tlk1]",
                              "# torchleak: ignore [ TLK203 , accumulated-tensor ] reason",
                              "# torchleak: ignore[ALL]",
                              "# Torchleak: Ignore[TLK101]",
                              "# x # torchleak: ignore[TLK101]",
                              "# torchleak: ignore[TLK203] see #12 # noqa: TLK101",
                              "# torchleak: ignore[nothing, TLK101]",
                              "# torchleak: ignore[TLK203  # noqa: TLK101",
                              "# torchleak: ignore; # noqa: TLK101"}) {
    CAPTURE(comment);
    CHECK_EQ(Left(std::string("leak()  ") + comment + "\n"), "");
  }
}

TEST_CASE("what is no suppression") {
  for (const char* comment :
       {"# noqarest", "# noqa-x", "# noqa: E501", "# noqa:", "# noqa: accumulatd-tensor",
        "# noqa: because TLK101", "# ruff: noqa", "# flake8: noqa", "# TLK101", "# nope: TLK101",
        "# torchleak ignore", "# torchleak: ignore[TLK101", "# torchleak: ignore[]",
        "# torchleak: ignore TLK101", "# torchleak: ignore(TLK101)", "# torchleak: ignore-file",
        "# torchleak: disable[TLK101]", "# xtorchleak: ignore", "# torchleak: ignore[nothing]"}) {
    CAPTURE(comment);
    CHECK_EQ(Left(std::string("leak()  ") + comment + "\n"), "TLK101:1");
  }
}

TEST_CASE("strings hold no comments") {
  CHECK_EQ(Left("leak('  # noqa: TLK101')\n"), "TLK101:1");
  CHECK_EQ(Left("'''\n# torchleak: ignore-file\n'''\nleak()\n"), "TLK101:4");
  CHECK_EQ(Left("leak(f'{x}  # noqa')\n"), "TLK101:1");
}

TEST_CASE("any row of a statement will do") {
  for (const char* code :
       {"x = leak(  # noqa: TLK101\n    a,\n)\n", "x = leak(\n    a,  # noqa: TLK101\n)\n",
        "x = leak(\n    a,\n)  # noqa: TLK101\n", "x = leak(\n    # noqa: TLK101\n    a,\n)\n",
        "x = leak(\n    # torchleak: ignore[TLK101] reason\n    a,\n)\n",
        "x = f(  # noqa: TLK101\n    a,\n    leak,\n)\n",
        "x = 1 + \\\n    leak()  # noqa: TLK101\n", "x = leak('''\n  text\n''')  # noqa: TLK101\n",
        "a; leak(); b  # noqa: TLK101\n", "leak('''\n'''); y = '''\n'''  # noqa: TLK101\n",
        "if x: leak()  # noqa: TLK101\n",
        "with a as b, \\\n        leak() as c:  # noqa: TLK101\n    pass\n"}) {
    CAPTURE(code);
    CHECK_EQ(Left(code), "");
  }
}

TEST_CASE("a compound statement is its header") {
  CHECK_EQ(Left("for x in leak():  # noqa: TLK101\n    leak()\n"), "TLK101:2");
  CHECK_EQ(Left("for x in leak():\n    y()  # noqa: TLK101\n"), "TLK101:1");
  CHECK_EQ(Left("while (\n    leak()\n):  # noqa: TLK101\n    leak()\n"), "TLK101:4");
  CHECK_EQ(Left("if a:\n    pass\nelif (leak()\n      and b):  # noqa: TLK101\n    leak()\n"),
           "TLK101:5");
  CHECK_EQ(Left("if leak(): # noqa: TLK101\n    pass\nelse:\n    leak()\n"), "TLK101:4");
  CHECK_EQ(Left("try:\n    pass\nexcept (A,\n        leak):  # noqa: TLK101\n    leak()\n"),
           "TLK101:5");
  CHECK_EQ(Left("match leak():  # noqa: TLK101\n    case 1:\n        leak()\n"), "TLK101:3");
  CHECK_EQ(Left("class A(  # noqa: TLK101\n    leak\n):\n    leak = 1\n"), "TLK101:4");
  CHECK_EQ(Left("if leak \\\n        :  # noqa: TLK101\n    pass\n"), "");
}

TEST_CASE("decorators belong to the header") {
  const std::string body = "\n    leak()\n";
  CHECK_EQ(Left("@a  # noqa: TLK101\n@leak\ndef f(\n    x=leak,\n):" + body), "TLK101:6");
  CHECK_EQ(Left("@a\n@leak\ndef f(\n    x=leak,\n):  # noqa: TLK101" + body), "TLK101:6");
  CHECK_EQ(Left("@a\n@leak\nasync def f(x=leak) -> int:  # noqa: TLK101" + body), "TLK101:4");
  CHECK_EQ(Left("# torchleak: ignore[TLK101]\n@a\n@leak\ndef f(x=leak):" + body), "TLK101:5");
  CHECK_EQ(Left("@a\n# torchleak: ignore[TLK101]\n@leak\ndef f(x=leak):" + body), "TLK101:5");
}

TEST_CASE("on a line of its own, ignore holds for the next statement and noqa for none") {
  CHECK_EQ(Left("# torchleak: ignore[TLK101] r\n# more\n\nleak(\n  leak)\nleak()\n"), "TLK101:6");
  CHECK_EQ(Left("def f():\n    # torchleak: ignore[TLK101]\n    leak()\n"), "");
  CHECK_EQ(Left("# noqa: TLK101\nleak()\n"), "TLK101:2");
  CHECK_EQ(Left("leak()\n# torchleak: ignore[TLK101]\n"), "TLK101:1");
}

TEST_CASE("a file form holds wherever it stands") {
  CHECK_EQ(Left("leak()\nmode()\n    # torchleak: ignore-file[TLK101] r\n"), "TLK203:2");
  CHECK_EQ(Left("# torchleak: ignore-file\nleak()\nmode()\n"), "");
}

TEST_CASE("ranges") {
  CHECK_EQ(Left("leak()\n# torchleak: disable[TLK101] r\nleak()\nmode()\n"
                "# torchleak: enable[TLK101]\nleak()\n"),
           "TLK101:1 TLK203:4 TLK101:6");
  CHECK_EQ(Left("# torchleak: disable\nleak()\nmode()\n# torchleak: enable\nleak()\n"), "TLK101:5");
  CHECK_EQ(Left("# torchleak: disable[TLK101]\nleak()\n"), "");
  CHECK_EQ(Left("# torchleak: disable[TLK101, TLK203]\nleak()\n# torchleak: enable[TLK203]\n"
                "leak()\nmode()\n# torchleak: enable[accumulated-tensor]\nleak()\n"),
           "TLK203:5 TLK101:7");
  CHECK_EQ(Left("# torchleak: disable[TLK101]\n# torchleak: disable[TLK1]\n# torchleak: enable\n"
                "leak()\n# torchleak: disable[TLK101]\nleak()\n"),
           "TLK101:4");
}

TEST_CASE("what is about suppressions is silenced for the file only") {
  const auto left = [](std::string text) {
    const Code c(std::move(text));
    auto suppressions = Suppressions::Parse(c.source, c.tree, kRules);
    std::vector<findings::Finding> found = suppressions.Unused(kAllCodes);
    suppressions.Apply(&found);
    return Told(c.source, found);
  };
  CHECK_EQ(left("f()  # noqa: TLK101\n"), "TLK001:1");
  CHECK_EQ(left("f()  # noqa: TLK101, TLK001\n"), "TLK001:1");
  CHECK_EQ(left("f()  # torchleak: ignore[TLK101]  # noqa\n"), "TLK001:1");
  CHECK_EQ(left("# torchleak: disable\nf()  # noqa: TLK101\n"), "TLK001:2");
  CHECK_EQ(left("# torchleak: ignore-file\nf()  # noqa: TLK101\n"), "");
  CHECK_EQ(left("# torchleak: ignore-file[TLK001]\nf()  # noqa: TLK101\n"), "");
}

TEST_CASE("who silenced it, and why") {
  const Code c(
      "# torchleak: ignore-file[TLK101] all\nleak()  # type: ignore  # noqa: TLK101 - it ends # x\n"
      "leak()\n");
  std::vector<findings::Finding> found = c.Findings();
  const auto silenced = Suppressions::Parse(c.source, c.tree, kRules).Apply(&found);
  REQUIRE_EQ(silenced.size(), 2);
  CHECK(found.empty());
  CHECK_EQ(silenced[0].reason, "it ends");
  CHECK_EQ(silenced[0].comment.path, "a.py");
  CHECK_EQ(c.source.Text(silenced[0].comment.span), "# noqa: TLK101 - it ends");
  CHECK_EQ(silenced[1].reason, "all");
}

TEST_CASE("line ends of all kinds") {
  CHECK_EQ(Left("leak()  # noqa: TLK101\r\nleak()\r\n"), "TLK101:2");
  CHECK_EQ(Left("leak()  # noqa\r\nleak(\r\n)  # torchleak: ignore\r\n"), "");
  CHECK_EQ(Left("leak()  # noqa: TLK101"), "");
}

TEST_CASE("many of everything end soon") {
  std::string code = "x = [\n";
  for (int i = 0; i < 20000; ++i) code += "leak(),  # noqa: TLK101\n";
  CHECK_EQ(Left(code + "]\n"), "");
  code.clear();
  for (int i = 0; i < 20000; ++i) code += "# torchleak: disable[TLK101]\n";
  for (int i = 0; i < 20000; ++i) code += "leak()\n";
  CHECK_EQ(Left(code), "");
  code.clear();
  for (int i = 0; i < 20000; ++i) code += "# torchleak: disable[TLK1]\n# torchleak: enable[TLK1]\n";
  CHECK_EQ(UnusedIn(Code(code)).size(), 20000);
}

}  // namespace
}  // namespace torchleak::suppress
