// A finder of our own reports words, each with a fix that behaves in its own way: what is tested
// here are the rounds, not the rules.
#include "driver/fix_run.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <array>
#include <cctype>
#include <iterator>

#include "tests/unit/driver/temp_tree.h"
#include "text/read.h"

namespace torchleak::driver {
namespace {

struct Word {
  std::string_view word, code, replacement;
  bool unsafe = false, whole_line = false, import = false;
  std::string_view other = {};  // a file that gets a line, too
};

constexpr std::array<Word, 11> kWords = {
    Word{"bad", "T1", "good"},
    Word{"stays", "T2", "stays + 1"},
    Word{"hydra", "T3", "stuck + hidden"},
    Word{"stuck", "T0", ""},
    Word{"chained", "TA", "bad"},
    Word{"breaks", "T4", "((("},
    Word{"risky", "T5", "fine", true},
    Word{"wide", "T6", "fine", false, true},
    Word{"imports", "T7", "fine", false, false, true},
    Word{"both", "T8", "fine", false, false, false, "b.py"},
    Word{"far", "T9", "fine", false, false, false, "elsewhere/c.py"},
};

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

findings::Finding Make(const text::Source& source, const Word& word, std::uint32_t at) {
  const auto end = at + static_cast<std::uint32_t>(word.word.size());
  findings::Finding finding;
  finding.code = word.code;
  finding.name = word.word;
  finding.location = {source.path(), {at, end}};
  finding.function = "<module>";
  if (word.replacement.empty()) return finding;
  findings::Fix fix;
  fix.applicability =
      word.unsafe ? findings::Applicability::kUnsafe : findings::Applicability::kSafe;
  findings::Edit edit{{"", {at, end}}, std::string(word.replacement)};
  if (word.whole_line) {
    edit.location.span = source.LineSpan(source.RowOf(at));
    std::string line(source.Text(edit.location.span));
    edit.content = line.replace(line.find(word.word), word.word.size(), "fine") + "  # was w";
  }
  fix.edits.push_back(edit);
  if (word.import && !source.bytes().starts_with("import torch\n")) {
    fix.edits.push_back({{"", {0, 0}}, "import torch\n"});
  }
  if (!word.other.empty()) fix.edits.push_back({{std::string(word.other), {0, 0}}, "x = 1\n"});
  finding.fix = std::move(fix);
  return finding;
}

text::Result<FindingSet> FindWords(const CheckOptions& options) {
  std::map<std::string, std::string> files;
  for (const DiscoveredFile& file : Discover(DiscoveryPart(options)).files) {
    files[file.path] = *text::ReadFile(file.path);
  }
  for (const Buffer& b : options.buffers) files[AbsolutePath(b.path, options.root)] = b.bytes;
  FindingSet set;
  for (auto& [path, bytes] : files) {
    auto source = text::Source::FromBytes(DisplayPath(path, options.root), bytes);
    const std::string_view text = source->bytes();
    for (const Word& word : kWords) {
      for (std::size_t at = text.find(word.word); at != text.npos;
           at = text.find(word.word, at + 1)) {
        const std::size_t end = at + word.word.size();
        if ((at > 0 && IsWord(text[at - 1])) || (end < text.size() && IsWord(text[end]))) continue;
        set.findings.push_back(Make(*source, word, static_cast<std::uint32_t>(at)));
      }
    }
    std::string display = source->path();
    set.sources.emplace(std::move(display), *std::move(source));
  }
  std::stable_sort(set.findings.begin(), set.findings.end(), findings::Before);
  return set;
}

struct Fixture {
  TempTree tree;
  CheckOptions options;
  int checks = 0;
  CheckFunction check = [this](const CheckOptions& o) { return ++checks, FindWords(o); };

  Fixture() {
    options.paths = {"."};
    options.root = tree.root();
  }
  FixPlan Plan(FixPolicy policy = {}) {
    auto plan = PlanFixes(options, policy, check);
    REQUIRE(plan);
    return *plan;
  }
  std::string Bytes(std::string_view path) const { return *text::ReadFile(tree.Path(path)); }
};

std::string After(const FixPlan& plan, std::string_view path) {
  const FixedFile* file = plan.FileAt(path);
  return file == nullptr ? "unchanged" : file->after.raw();
}

TEST_CASE("fixes of all files in one round, one check more to see that they hold") {
  Fixture f;
  f.tree.Write("a.py", "x = bad\ny = bad\n");
  f.tree.Write("b.py", "bad\r\nx\r\n");
  f.tree.Write("c.py", "x = 1\n");
  const FixPlan plan = f.Plan();
  CHECK(plan.fixed == 3);
  CHECK(plan.rounds == 1);
  CHECK(plan.files.size() == 2);
  CHECK(plan.remaining.findings.empty());
  CHECK(After(plan, "a.py") == "x = good\ny = good\n");
  CHECK(After(plan, "b.py") == "good\r\nx\r\n");
  CHECK(plan.FileAt("a.py")->fixed.at("T1").count == 2);
  CHECK(f.checks == 2);
  CHECK(f.Bytes("a.py") == "x = bad\ny = bad\n");  // nothing is written yet
}

TEST_CASE("a fix that does not hold is refused with the reason, the others are kept") {
  Fixture f;
  f.tree.Write("a.py", "x = bad\ny = stays\nz = bad\nu = breaks\nv = hydra\nw = bad\n");
  f.tree.Write("b.py", "y = stays\n");
  const FixPlan plan = f.Plan();
  CHECK(plan.fixed == 3);
  CHECK(After(plan, "a.py") == "x = good\ny = stays\nz = good\nu = breaks\nv = hydra\nw = good\n");
  CHECK(After(plan, "b.py") == "unchanged");
  REQUIRE(plan.refused.size() == 4);
  CHECK(plan.refused[0].row == 2);
  CHECK(plan.refused[0].reason == "the finding would still be there");
  CHECK(plan.refused[1].reason == "a.py would no longer parse");
  CHECK(plan.refused[2].reason == "T0 would appear in a.py:5");
  CHECK(plan.refused[3].path == "b.py");
  CHECK(plan.remaining.findings.size() == 4);
}

TEST_CASE("what a fix leaves of its finding may be mended by the next round") {
  Fixture f;
  f.tree.Write("a.py", "x = chained\n");
  const FixPlan plan = f.Plan();
  CHECK(After(plan, "a.py") == "x = good\n");
  CHECK(plan.rounds == 2);
  CHECK(plan.fixed == 2);
  const auto not_that = [](const findings::Finding& finding) { return finding.code != "T1"; };
  CHECK(f.Plan({false, not_that}).files.empty());
}

TEST_CASE("many that fail the same way are not tried one by one") {
  Fixture f;
  for (int i = 0; i < 64; ++i) {
    f.tree.Write("m" + std::to_string(i) + ".py", i % 2 == 0 ? "stays\n" : "hydra\nbad\n");
  }
  const FixPlan plan = f.Plan();
  CHECK(plan.fixed == 32);
  CHECK(plan.refused.size() == 64);
  CHECK(f.checks < 10);
}

TEST_CASE("what overlaps is made in the next round, a line that two insert is inserted once") {
  Fixture f;
  f.tree.Write("a.py", "x = wide + bad\ny = imports\nz = imports\n");
  const FixPlan plan = f.Plan();
  CHECK(plan.fixed == 4);
  CHECK(plan.rounds == 2);
  CHECK(After(plan, "a.py") == "import torch\nx = fine + good  # was w\ny = fine\nz = fine\n");
  f.tree.Write("a.py", "x = wide + wide + risky\n");
  const FixPlan rounds = f.Plan();
  CHECK(rounds.rounds == 2);
  CHECK(After(rounds, "a.py") == "x = fine + fine + risky  # was w  # was w\n");
}

TEST_CASE("policy: unsafe fixes only when asked, and only those that are wanted") {
  Fixture f;
  f.tree.Write("a.py", "risky\nbad\n");
  CHECK(After(f.Plan(), "a.py") == "risky\ngood\n");
  CHECK(After(f.Plan({.unsafe = true, .wanted = {}}), "a.py") == "fine\ngood\n");
  const auto wanted = [](const findings::Finding& finding) { return finding.code == "T5"; };
  CHECK(After(f.Plan({.unsafe = true, .wanted = wanted}), "a.py") == "fine\nbad\n");
}

TEST_CASE("a finding on a line that another fix changes is not a new one") {
  Fixture f;
  f.tree.Write("a.py", "x = bad + risky\n");
  const FixPlan plan = f.Plan();
  CHECK(plan.fixed == 1);
  CHECK(After(plan, "a.py") == "x = good + risky\n");
}

TEST_CASE("a fix of two files is one, and changes checked files only") {
  Fixture f;
  f.tree.Write("a.py", "both\nfar\n");
  f.tree.Write("b.py", "y = 1\n");
  f.tree.Write("elsewhere/c.py", "z = 1\n");
  f.options.paths = {"a.py", "b.py"};
  const FixPlan plan = f.Plan();
  CHECK(After(plan, "a.py") == "fine\nfar\n");
  CHECK(After(plan, "b.py") == "x = 1\ny = 1\n");
  CHECK(plan.files[0].group == plan.files[1].group);
  REQUIRE(plan.refused.size() == 1);
  CHECK(plan.refused[0].reason ==
        "it changes elsewhere/c.py, too, which is not among the checked files");
}

TEST_CASE("written: the files, then nothing more to do; one that cannot be is an error") {
  Fixture f;
  f.tree.Write("a.py", "both\n");
  f.tree.Write("b.py", "y = 1\n");
  f.tree.Write("d.py", "bad\n");
  f.tree.Write(".torchleak-zzzzzz.tmp", "half");
  chmod(f.tree.Path("b.py").c_str(), 0444);
  FixPlan plan = f.Plan();
  auto written = WriteFixes(f.options, f.check, &plan);
  REQUIRE(written);
  CHECK_FALSE(*written);
  CHECK(f.Bytes("a.py") == "both\n");  // one group with b.py
  CHECK(f.Bytes("b.py") == "y = 1\n");
  CHECK(f.Bytes("d.py") == "good\n");
  CHECK(plan.fixed == 1);
  REQUIRE(plan.remaining.findings.size() == 1);
  CHECK(plan.remaining.findings[0].code == "T8");
  REQUIRE(plan.not_written.size() == 1);
  CHECK(plan.not_written[0].path == "b.py");
  CHECK_FALSE(std::filesystem::exists(f.tree.Path(".torchleak-zzzzzz.tmp")));

  chmod(f.tree.Path("b.py").c_str(), 0644);
  plan = f.Plan();
  CHECK(*WriteFixes(f.options, f.check, &plan));
  CHECK(f.Bytes("a.py") == "fine\n");
  plan = f.Plan();
  CHECK(plan.fixed == 0);
  CHECK(plan.files.empty());
}

TEST_CASE("changed between analysis and fix, or between fix and writing: not touched") {
  Fixture f;
  f.tree.Write("a.py", "bad\n");
  f.check = [&f](const CheckOptions& options) {
    auto set = FindWords(options);
    if (++f.checks == 1) f.tree.Write("a.py", "bad  # mine\n");
    return set;
  };
  FixPlan plan = f.Plan();
  CHECK(plan.files.empty());
  REQUIRE(plan.refused.size() == 1);
  CHECK(plan.refused[0].reason == "a.py was changed by someone else since it was read; run again");

  plan = f.Plan();
  CHECK(plan.fixed == 1);
  f.tree.Write("a.py", "bad  # again\n");
  CHECK_FALSE(*WriteFixes(f.options, f.check, &plan));
  CHECK(f.Bytes("a.py") == "bad  # again\n");
}

TEST_CASE("standard input is fixed, and not written") {
  Fixture f;
  f.tree.Write("in.py", "on disk\n");
  f.options.paths = {};
  f.options.buffers = {{"in.py", "x = bad\n"}};
  FixPlan plan = f.Plan();
  REQUIRE(plan.files.size() == 1);
  CHECK(plan.files[0].is_buffer);
  CHECK(After(plan, "in.py") == "x = good\n");
  CHECK(*WriteFixes(f.options, f.check, &plan));
  CHECK(f.Bytes("in.py") == "on disk\n");
}

}  // namespace
}  // namespace torchleak::driver
