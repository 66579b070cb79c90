// A comment for every line with a finding; once they are there, nothing is found.
#include "suppress/add_noqa.h"

#include "code.h"

namespace torchleak::suppress {
namespace {

std::string Added(std::string code, std::string_view reason = {}) {
  const Code c(std::move(code));
  std::vector<findings::Finding> found = c.Findings();
  Suppressions::Parse(c.source, c.tree, kRules).Apply(&found);
  const AddedNoqa added = AddNoqa(c.source, c.tree, found, kRules, reason);
  std::string after = With(c.source, added.edits);
  if (added.skipped == 0) CHECK_EQ(Left(after), "");
  return after;
}

TEST_CASE("where the comment goes, and what it says") {
  const std::array<std::pair<const char*, const char*>, 20> cases{{
      {"f()\n", "f()\n"},
      {"leak()\n", "leak()  # noqa: TLK101\n"},
      {"leak()", "leak()  # noqa: TLK101"},
      {"leak()  \t\r\nf()\r\n", "leak()  # noqa: TLK101  \t\r\nf()\r\n"},
      {"\tleak(mode)\n", "\tleak(mode)  # noqa: TLK101, TLK203\n"},
      {"leak()  # why\n", "leak()  # why  # noqa: TLK101\n"},
      {"leak()  # noqa: E501 # why\n", "leak()  # noqa: E501, TLK101 # why\n"},
      {"leak(mode)  # noqa:TLK101,E1 why\n", "leak(mode)  # noqa:TLK101,E1, TLK203 why\n"},
      {"leak()  # torchleak: ignore[TLK203] why\n",
       "leak()  # torchleak: ignore[TLK203] why  # noqa: TLK101\n"},
      {"leak()  # noqa: whatever\n", "leak()  # noqa: whatever  # noqa: TLK101\n"},
      {"x = f(\n    leak,\n    mode,\n)\n",
       "x = f(\n    leak,  # noqa: TLK101, TLK203\n    mode,\n)\n"},
      {"x = leak('''\n  a\n''')\n", "x = leak('''\n  a\n''')  # noqa: TLK101\n"},
      {"x = leak() + \\\n    1\n", "x = leak() + \\\n    1  # noqa: TLK101\n"},
      {"leak('''\n'''); y = '''\n'''\n", "leak('''\n'''); y = '''\n'''  # noqa: TLK101\n"},
      {"x = f('''\n''', leak, '''\n''', a)\n",
       "x = f('''\n''', leak, '''\n''', a)  # noqa: TLK101\n"},
      {"if leak \\\n        :\n    f()\n", "if leak \\\n        :  # noqa: TLK101\n    f()\n"},
      {"@leak\ndef f():\n    leak()\n",
       "@leak  # noqa: TLK101\ndef f():\n    leak()  # noqa: TLK101\n"},
      {"leak()  # a \\\nf()\n", "leak()  # a \\  # noqa: TLK101\nf()\n"},
      {"x = f'''{\nleak\n}'''\n", "x = f'''{\nleak\n}'''  # noqa: TLK101\n"},
      {"x = ('a' \\\n  'b', leak)\n", "x = ('a' \\\n  'b', leak)  # noqa: TLK101\n"},
  }};
  for (const auto& [before, after] : cases) {
    CAPTURE(before);
    CHECK_EQ(Added(before), after);
    CHECK_EQ(Added(after), after);
  }
}

TEST_CASE("a notebook's cells get theirs") {
  const Code c(Notebook({"f()", "leak()"}), "a.ipynb");
  const AddedNoqa added = AddNoqa(c.source, c.tree, c.Findings(), kRules);
  CHECK_EQ(With(c.source, added.edits).substr(0, 30), "f()\nleak()  # noqa: TLK101\n");
}

TEST_CASE("a reason goes behind new comments") {
  CHECK_EQ(Added("leak()\nleak()  # noqa: E1\n", "known"),
           "leak()  # noqa: TLK101 known\nleak()  # noqa: E1, TLK101\n");
}

TEST_CASE("where no comment is possible, none is written") {
  const Code c("def f(:\n    x = '''\n    leak()\n");
  const AddedNoqa added = AddNoqa(c.source, c.tree, c.Findings(), kRules);
  CHECK(added.edits.empty());
  CHECK_EQ(added.skipped, 1);
}

TEST_CASE("suppressions and what does not parse are not silenced") {
  const Code c("f()  # noqa: TLK101\n");
  std::vector<findings::Finding> found = UnusedIn(c);
  findings::Finding error;
  error.code = "TLK000";
  found.push_back(error);
  const AddedNoqa added = AddNoqa(c.source, c.tree, found, kRules);
  CHECK(added.edits.empty());
  CHECK_EQ(added.skipped, 2);
}

}  // namespace
}  // namespace torchleak::suppress
