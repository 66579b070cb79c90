// A rule of our own reports the first bytes of every file that mentions "torch": what is tested
// here is the way from paths to a sorted set, not the engine.
#include "driver/check.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <set>

#include "driver/parallel.h"
#include "tests/unit/driver/temp_tree.h"
#include "text/read.h"

namespace torchleak::driver {
namespace {

constexpr std::array<std::string_view, 1> kNeedles = {"torch"};

class FirstLine : public engine::Rule {
 public:
  FirstLine(std::string_view code, findings::Confidence confidence) : confidence_(confidence) {
    info_.code = code;
    info_.name = "first-line";
    info_.needles = kNeedles;
  }
  const engine::RuleInfo& info() const override { return info_; }
  void Check(const flow::FileEvents&, engine::RuleContext& context) const override {
    ++runs;
    // Twice the same line: only the occurrence tells the two apart.
    for (std::uint32_t begin : {0u, 1u}) {
      findings::Finding finding;
      finding.code = info_.code;
      finding.name = info_.name;
      finding.confidence = confidence_;
      finding.location = {path_of_run, {begin, begin + 1}};
      finding.function = "<module>";
      context.Report(std::move(finding));
    }
  }

  mutable std::atomic<int> runs{0};
  std::string path_of_run;  // the engine tests see real paths; here all files share one

 private:
  engine::RuleInfo info_;
  findings::Confidence confidence_;
};

CheckOptions Options(const TempTree& tree, const engine::Rule& rule) {
  CheckOptions options;
  options.paths = {"."};
  options.root = tree.root();
  options.rules = {&rule};
  return options;
}

TEST_CASE("only files in which a rule can fire are parsed, only those with findings are kept") {
  TempTree tree;
  tree.Write("a.py", "import torch\n");
  tree.Write("b.py", "import numpy\n");
  tree.Write("empty.py");
  FirstLine rule("TLK901", findings::Confidence::kMedium);
  rule.path_of_run = "a.py";
  auto set = Check(Options(tree, rule));
  REQUIRE(set);
  CHECK(rule.runs == 1);
  CHECK(set->counts == Counts{3, 3, 1, 0, 26, 13});
  CHECK(set->findings.size() == 2);
  CHECK(set->sources.size() == 1);
  REQUIRE(set->SourceOf("a.py") != nullptr);
  CHECK(set->SourceOf("a.py")->bytes() == "import torch\n");
  CHECK(set->SourceOf("b.py") == nullptr);
  CHECK(set->notifications.empty());
}

TEST_CASE("equal findings on equal lines have fingerprints of their own, the same in every run") {
  TempTree tree;
  tree.Write("a.py", "import torch\n");
  FirstLine rule("TLK901", findings::Confidence::kMedium);
  rule.path_of_run = "a.py";
  auto first = Check(Options(tree, rule)), second = Check(Options(tree, rule));
  REQUIRE(first);
  REQUIRE(second);
  REQUIRE(first->findings.size() == 2);
  CHECK(first->findings[0].fingerprint.size() == 16);
  CHECK(first->findings[0].fingerprint != first->findings[1].fingerprint);
  CHECK(first->findings[0].fingerprint == second->findings[0].fingerprint);
  // A blank line above changes neither.
  tree.Write("a.py", "import torch  # again\n");
  auto third = Check(Options(tree, rule));
  REQUIRE(third);
  CHECK(third->findings[1].fingerprint == first->findings[1].fingerprint);
}

TEST_CASE("findings below the confidence asked for are dropped, with their sources") {
  TempTree tree;
  tree.Write("a.py", "import torch\n");
  FirstLine rule("TLK901", findings::Confidence::kLow);
  rule.path_of_run = "a.py";
  auto options = Options(tree, rule);
  auto set = Check(options);
  REQUIRE(set);
  CHECK(set->findings.empty());
  CHECK(set->sources.empty());
  options.min_confidence = findings::Confidence::kLow;
  auto low = Check(options);
  REQUIRE(low);
  CHECK(low->findings.size() == 2);
}

TEST_CASE("the number of threads leaves no trace") {
  TempTree tree;
  for (int i = 0; i < 60; ++i) {
    std::string name = "d" + std::to_string(i % 7) + "/f" + std::to_string(i) + ".py";
    tree.Write(name, "import torch  # " + std::string(static_cast<std::size_t>(i * 37 % 50), 'x'));
  }
  FirstLine rule("TLK901", findings::Confidence::kMedium);
  auto trace = [&](unsigned jobs) {
    auto options = Options(tree, rule);
    options.jobs = jobs;
    auto set = Check(options);
    REQUIRE(set);
    std::string text;
    for (const auto& f : set->findings) text += f.fingerprint + "\n";
    for (const auto& [path, source] : set->sources) text += path + "\n";
    return text;
  };
  std::string one = trace(1);
  CHECK(one.size() > 60 * 17);
  CHECK(trace(8) == one);
  CHECK(trace(0) == one);
}

TEST_CASE("what cannot be analysed is told, and the rest is checked") {
  TempTree tree;
  tree.Write("binary.py", std::string_view("\x7f"
                                           "ELF\0\0\0",
                                           7));
  tree.Write("good.py", "import torch\n");
  {
    std::filesystem::path big = tree.Path("big.py");
    std::ofstream(big).close();
    std::filesystem::resize_file(big, text::Source::kMaxBytes + 1);
  }
  FirstLine rule("TLK901", findings::Confidence::kMedium);
  auto options = Options(tree, rule);
  options.paths.emplace_back("missing.py");
  auto set = Check(options);
  REQUIRE(set);
  CHECK(rule.runs == 1);
  CHECK(set->counts.discovered == 3);
  CHECK(set->counts.checked == 2);
  REQUIRE(set->notifications.size() == 3);
  CHECK(set->notifications[0].path == "big.py");
  CHECK(set->notifications[0].message == "file is too large: the limit is 8 MiB");
  CHECK(set->notifications[0].level == Notification::Level::kWarning);
  CHECK(set->notifications[1].path == "binary.py");
  CHECK(set->notifications[1].level == Notification::Level::kWarning);
  CHECK(set->notifications[2].path == "missing.py");
  CHECK(set->notifications[2].level == Notification::Level::kError);
}

TEST_CASE("a file that may not be read is an error of that file") {
  TempTree tree;
  tree.Write("locked.py", "import torch\n");
  tree.Write("open.py", "import torch\n");
  REQUIRE(chmod(tree.root().c_str(), 0755) == 0);
  REQUIRE(chmod(tree.Path("locked.py").c_str(), 0) == 0);
  bool was_root = geteuid() == 0;
  constexpr uid_t kNobody = 65534;
  if (was_root) REQUIRE(seteuid(kNobody) == 0);
  FirstLine rule("TLK901", findings::Confidence::kMedium);
  auto set = Check(Options(tree, rule));
  if (was_root) REQUIRE(seteuid(0) == 0);
  REQUIRE(set);
  CHECK(rule.runs == 1);
  REQUIRE(set->notifications.size() == 1);
  CHECK(set->notifications[0] == Notification{"locked.py", "cannot be read: Permission denied"});
}

TEST_CASE("buffers are checked under the name they are given") {
  TempTree tree;
  FirstLine rule("TLK901", findings::Confidence::kMedium);
  auto options = Options(tree, rule);
  options.paths.clear();
  options.buffers = {{"pkg/x.py", "import torch\n"}};
  auto set = Check(options);
  REQUIRE(set);
  CHECK(set->findings.size() == 2);
  CHECK(set->SourceOf("pkg/x.py") != nullptr);
  options.force_exclude = true;
  options.excludes = {"pkg"};
  auto excluded = Check(options);
  REQUIRE(excluded);
  CHECK(excluded->findings.empty());
  CHECK(excluded->counts.discovered == 0);
}

TEST_CASE("a relative root is refused") {
  CheckOptions options;
  options.root = "src";
  CHECK_FALSE(Check(options));
}

TEST_CASE("every item is worked on exactly once") {
  for (unsigned jobs : {1u, 2u, 7u, 0u, 100'000u}) {
    std::vector<std::atomic<int>> seen(1000);
    ParallelFor(seen.size(), jobs, [&](std::size_t i) { ++seen[i]; });
    int wrong = 0;
    for (const auto& count : seen) wrong += count != 1;
    CHECK(wrong == 0);
  }
  ParallelFor(0, 4, [](std::size_t) { FAIL("nothing to do"); });
}

TEST_CASE("reading says what is wrong") {
  TempTree tree;
  tree.Write("a", "abc");
  std::string buffer = "old content";
  text::ReadError error;
  CHECK(text::ReadInto(tree.Path("a"), 3, &buffer, &error));
  CHECK(buffer == "abc");
  CHECK_FALSE(text::ReadInto(tree.Path("a"), 2, &buffer, &error));
  CHECK(error.too_large);
  CHECK_FALSE(text::ReadInto(tree.root(), 100, &buffer, &error));
  CHECK(error.message == "Is a directory");
  CHECK_FALSE(error.too_large);
  CHECK_FALSE(text::ReadInto(tree.Path("nope"), 100, &buffer, &error));
  CHECK(error.message == "No such file or directory");
}

TEST_CASE("a pipe is read to its end") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::string text(100'000, 'x');
  std::thread writer([&] {
    for (std::size_t at = 0; at < text.size();) {
      ssize_t n = write(ends[1], text.data() + at, text.size() - at);
      if (n <= 0) break;
      at += static_cast<std::size_t>(n);
    }
    close(ends[1]);
  });
  std::string buffer;
  text::ReadError error;
  CHECK(text::ReadDescriptor(ends[0], text::Source::kMaxBytes, &buffer, &error));
  CHECK(buffer == text);
  close(ends[0]);
  writer.join();
}

}  // namespace
}  // namespace torchleak::driver
