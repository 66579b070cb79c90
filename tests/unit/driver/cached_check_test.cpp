// Whatever changes, a check with a cache says what one without says; and it is taken from the cache
// when that is why the cache is there.
#include "driver/cached_check.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "driver/cache_entry.h"
#include "tests/unit/driver/temp_tree.h"

namespace torchleak::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTrain = R"(import torch
from utils import Meter


def train(model, loader, optimizer):
    meter = Meter()
    losses = []
    for x, y in loader:
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        meter.update(loss)
        losses.append(loss)
    return losses
)";
constexpr std::string_view kUtils = R"(class Meter:
    def __init__(self):
        self.sum = 0

    def update(self, value):
        self.sum += value
)";
constexpr std::string_view kHarmless = R"(class Meter:
    def update(self, value):
        self.last = float(value)
)";

CheckOptions Options(const TempTree& tree) {
  CheckOptions options;
  options.paths = {"."};
  options.root = tree.root();
  const auto rules = engine::AllRules();
  options.rules.assign(rules.begin(), rules.end());
  options.use_cache = true;
  options.cache_dir = tree.Path(".torchleak_cache");
  return options;
}

void CheckSame(const FindingSet& a, const FindingSet& b) {
  CHECK(a.counts == b.counts);
  CHECK(a.rules == b.rules);
  CHECK(a.checked == b.checked);
  CHECK(a.notifications == b.notifications);
  CHECK(a.known.size() == b.known.size());
  CHECK(a.suppressed.size() == b.suppressed.size());
  REQUIRE(a.sources.size() == b.sources.size());
  for (const auto& [path, source] : a.sources) {
    REQUIRE(b.SourceOf(path) != nullptr);
    CHECK(b.SourceOf(path)->bytes() == source.bytes());
    CHECK(b.SourceOf(path)->path() == source.path());
  }
  REQUIRE(a.findings.size() == b.findings.size());
  for (std::size_t i = 0; i < a.findings.size(); ++i) {
    CHECK(a.findings[i].code == b.findings[i].code);
    CHECK(a.findings[i].message == b.findings[i].message);
    CHECK(a.findings[i].location == b.findings[i].location);
    CHECK(a.findings[i].fingerprint == b.findings[i].fingerprint);
    CHECK(a.findings[i].flow.size() == b.findings[i].flow.size());
  }
}

// Checks with the cache and without; was the cache of use?
bool Hits(CheckOptions options) {
  const auto cached = Check(options);
  options.use_cache = false;
  const auto fresh = Check(options);
  REQUIRE(cached);
  REQUIRE(fresh);
  CheckSame(*fresh, *cached);
  INFO(cached->cache);
  CHECK(fresh->cache == "");
  return cached->cache.starts_with("taken from");
}

struct Project {
  TempTree tree;
  Project() {
    tree.MakeFolder(".git");
    tree.Write("train.py", kTrain);
    tree.Write("utils.py", kUtils);
    tree.Write("plain.py", "x = 1\n");
    tree.Write("lib/plain.py", "x = 1\n");
  }
};

TEST_CASE("an unchanged tree is taken from the cache, for any number of threads") {
  const Project p;
  CheckOptions options = Options(p.tree);
  CHECK(!Hits(options));
  CHECK(Hits(options));
  options.jobs = 7;
  CHECK(Hits(options));
  const auto found = Check(options);
  CHECK(found->findings.size() >= 2);
  CHECK(found->sources.size() == 2);  // utils.py for a step
}

TEST_CASE("what no rule looks into and nobody imports may change") {
  const Project p;
  const CheckOptions options = Options(p.tree);
  CHECK(!Hits(options));
  p.tree.Write("plain.py", "y = 22\n");
  CHECK(!Hits(options));  // what it does with train() decides on whether a fix is safe
  p.tree.Write("train.py", "import torch\nfrom utils import Meter\ndef train(:\n");  // no fix
  CHECK(!Hits(options));
  p.tree.Write("plain.py", "y = 23\n");
  CHECK(Hits(options));
  p.tree.Write("lib/more.py", "z = 3\n");
  CHECK(Hits(options));
  p.tree.Write("notes.txt", "torch\n");
  CHECK(Hits(options));
  fs::remove(p.tree.Path("lib/plain.py"));
  CHECK(Hits(options));
  fs::remove_all(p.tree.Path("lib"));
  CHECK(!Hits(options));  // import resolution asked for the folder
}

TEST_CASE("what counts may not") {
  const Project p;
  CheckOptions options = Options(p.tree);
  CHECK(!Hits(options));
  bool is_kept = true;
  SUBCASE("a file with findings") { p.tree.Write("train.py", "# moved\n" + std::string(kTrain)); }
  SUBCASE("only a space") { p.tree.Write("train.py", std::string(kTrain) + " "); }
  SUBCASE("a file that is imported") { p.tree.Write("utils.py", kHarmless); }
  SUBCASE("an imported one goes") { fs::remove(p.tree.Path("utils.py")); }
  SUBCASE("one that hides it comes") { p.tree.Write("utils/__init__.py", kHarmless); }
  SUBCASE("a new one with torch") { p.tree.Write("new.py", kTrain); }
  SUBCASE("torch comes into an old one") { p.tree.Write("plain.py", kTrain); }
  SUBCASE("one becomes binary") { p.tree.Write("plain.py", std::string_view("x\0y", 3)); }
  SUBCASE("one cannot be read") {
    fs::remove(p.tree.Path("plain.py"));
    fs::create_symlink("/proc/self/mem", p.tree.Path("plain.py"));
    is_kept = false;
  }
  SUBCASE("one is ignored now") { p.tree.Write(".gitignore", "train.py\n"); }
  SUBCASE("a project of its own inside") {
    p.tree.Write("lib/train.py", kTrain);
    CHECK(!Hits(options));
    p.tree.MakeFolder("lib/.git");
  }
  SUBCASE("rules") { options.rules.pop_back(); }
  SUBCASE("a comment in vain") { p.tree.Write("plain.py", "x = 1  # noqa: TLK101\n"); }
  SUBCASE("a comment") {
    p.tree.Write("train.py", "# torchleak: ignore-file[TLK101] known\n" + std::string(kTrain));
  }
  SUBCASE("comments do not count") { options.ignore_noqa = true; }
  SUBCASE("confidence") { options.min_confidence = findings::Confidence::kHigh; }
  SUBCASE("excludes") { options.excludes = {"lib"}; }
  SUBCASE("each file alone") { options.single_file = true; }
  SUBCASE("paths") { options.paths = {"train.py"}; }
  CHECK(!Hits(options));
  CHECK(Hits(options) == is_kept);
}

TEST_CASE("users beyond the given files count") {
  const Project p;
  CheckOptions options = Options(p.tree);
  options.paths = {"train.py"};
  CHECK(!Hits(options));
  CHECK(Hits(options));
  p.tree.Write("main.py", "import torch\nfrom train import train\n\ntrain(1, 2, 3)\n");
  CHECK(!Hits(options));
  CHECK(Hits(options));
  p.tree.Write("main.py",
               "import torch\nfrom train import train\n\nwith torch.no_grad():\n"
               "    train(1, 2, 3)\n");
  CHECK(!Hits(options));
  fs::remove(p.tree.Path("main.py"));
  CHECK(!Hits(options));
}

TEST_CASE("each file alone is cached as well") {
  const Project p;
  CheckOptions options = Options(p.tree);
  options.single_file = true;
  CHECK(!Hits(options));
  CHECK(Hits(options));
  p.tree.Write("utils.py", kHarmless);  // nobody looks into it
  CHECK(Hits(options));
  p.tree.Write("train.py", std::string(kTrain) + "\n");
  CHECK(!Hits(options));
}

TEST_CASE("without a folder that can be written, the check goes on") {
  const Project p;
  CheckOptions options = Options(p.tree);
  options.cache_dir = p.tree.Path("plain.py");
  CHECK(!Hits(options));
  CHECK(!Hits(options));
  options.cache_dir = p.tree.root();
  CHECK(!Hits(options));
  CHECK(!Hits(options));
  CHECK(!fs::exists(p.tree.Path("CACHEDIR.TAG")));
  const auto found = Check(options);
  CHECK(found->cache.find("not kept: ") != std::string::npos);
}

TEST_CASE("buffers are checked without a cache") {
  const Project p;
  CheckOptions options = Options(p.tree);
  options.buffers = {{"train.py", std::string(kTrain)}};
  CHECK(!Hits(options));
  CHECK(!fs::exists(options.cache_dir));
}

TEST_CASE("the cache lies at the top of the project") {
  const TempTree tree;
  tree.Write("repo/.git/HEAD");
  tree.Write("repo/src/a.py");
  tree.Write("loose/b.py");
  const std::string in_repo = tree.Path("repo/.torchleak_cache");
  CHECK(DefaultCacheFolder({"."}, tree.Path("repo/src")) == in_repo);
  CHECK(DefaultCacheFolder({"src/a.py"}, tree.Path("repo")) == in_repo);
  CHECK(DefaultCacheFolder({"../repo/src"}, tree.Path("loose")) == in_repo);
  CHECK(DefaultCacheFolder({"../../loose"}, tree.Path("repo/src")) == in_repo);
  CHECK(DefaultCacheFolder({"b.py"}, tree.Path("loose")) == tree.Path("loose/.torchleak_cache"));
}

TEST_CASE("any damage to an entry's bytes is read without harm") {
  const Project p;
  const CheckOptions options = Options(p.tree);
  CheckTrace trace;
  const auto set = CheckFiles(options, Discover(DiscoveryPart(options)), &trace);
  REQUIRE(set);
  const auto entry = MakeEntry(options, {{"a", "b", Notification::Level::kError}}, trace, *set);
  REQUIRE(entry);
  const std::string good = Packed(*entry);
  const auto back = Unpacked(good, options);
  REQUIRE(back);
  CHECK(Packed(*back) == good);
  for (std::size_t cut = 0; cut < good.size(); ++cut)
    CHECK(!Unpacked(good.substr(0, cut), options));
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = '\x7f';
    static_cast<void>(Unpacked(bad, options));
  }
}

}  // namespace
}  // namespace torchleak::driver
