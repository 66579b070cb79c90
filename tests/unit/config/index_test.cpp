#include "config/index.h"

#include <doctest/doctest.h>

#include <array>
#include <thread>

#include "tests/unit/driver/temp_tree.h"

namespace torchleak::config {
namespace {

using driver::TempTree;

std::shared_ptr<const SettingsIndex> Index(const TempTree& tree, IndexOptions options = {}) {
  options.root = tree.root();
  auto index = SettingsIndex::Create(std::move(options));
  REQUIRE_MESSAGE(index, index.error().message);
  return *std::move(index);
}

// The format stands for the file: each sets another one.
std::string FormatOf(const SettingsIndex& index, const std::string& path) {
  auto settings = index.ForFile(path);
  return settings ? (*settings)->output_format : settings.error().message;
}

TEST_CASE("the closest file wins; of one folder the first of three names") {
  TempTree tree;
  tree.Write("torchleak.toml", "output-format = 'json'");
  tree.Write("p/pyproject.toml", "[tool.torchleak]\noutput-format = 'sarif'");
  tree.Write("p/q/pyproject.toml", "[tool.black]\n");
  tree.Write("r/torchleak.toml", "output-format = 'html'");
  tree.Write("r/pyproject.toml", "[tool.torchleak]\nnonsense = 1");
  tree.Write("s/.torchleak.toml", "output-format = 'azure'");
  tree.Write("s/torchleak.toml", "nonsense = 1");
  auto index = Index(tree);
  CHECK(FormatOf(*index, tree.Path("a.py")) == "json");
  CHECK(FormatOf(*index, tree.Path("x/y/z/a.py")) == "json");
  CHECK(FormatOf(*index, tree.Path("p/a.py")) == "sarif");
  CHECK(FormatOf(*index, tree.Path("p/q/a.py")) == "sarif");
  CHECK(FormatOf(*index, tree.Path("r/a.py")) == "html");
  CHECK(FormatOf(*index, tree.Path("s/a.py")) == "azure");
  CHECK(index->run().output_format == "json");
}

TEST_CASE("settings are shared and folders looked at once") {
  TempTree tree;
  tree.Write("torchleak.toml", "output-format = 'json'");
  auto index = Index(tree);
  auto first = index->ForFile(tree.Path("a/b/x.py"));
  tree.Write("a/torchleak.toml", "output-format = 'html'");
  auto second = index->ForFile(tree.Path("a/y.py"));
  REQUIRE(first);
  REQUIRE(second);
  CHECK(*first == *second);
}

TEST_CASE("isolated, one file for all, and overrides") {
  TempTree tree;
  tree.Write("torchleak.toml", "output-format = 'json'");
  tree.Write("p/torchleak.toml", "output-format = 'html'");
  tree.Write("conf/x.toml", "output-format = 'sarif'\nextend-exclude = ['/gen']");
  CHECK(FormatOf(*Index(tree, {.isolated = true}), tree.Path("p/a.py")) == "full");
  auto one = Index(tree, {.config_file = "conf/x.toml"});
  CHECK(FormatOf(*one, tree.Path("p/a.py")) == "sarif");
  CHECK(one->run().Excludes(tree.Path("gen"), true));  // relative to the working directory
  const std::array<std::string, 2> texts = {"output-format='azure'", "ignore=['TLK101']"};
  auto layer = InlineLayer(texts, tree.root());
  REQUIRE(layer);
  auto over = Index(tree, {.overrides = {*layer}});
  CHECK(FormatOf(*over, tree.Path("p/a.py")) == "azure");
  CHECK_FALSE(over->run().Selects("TLK101", tree.Path("a.py")));
}

TEST_CASE("the user's file holds where no other does") {
  TempTree tree;
  tree.Write("user/torchleak.toml", "output-format = 'json'");
  tree.Write("p/torchleak.toml", "output-format = 'html'");
  auto index = Index(tree, {.user_folder = tree.Path("user")});
  CHECK(FormatOf(*index, tree.Path("a.py")) == "json");
  CHECK(FormatOf(*index, tree.Path("p/a.py")) == "html");
}

TEST_CASE("extend: chains, circles, also through links") {
  TempTree tree;
  tree.Write("torchleak.toml", "extend = 'conf/a.toml'");
  tree.Write("conf/a.toml", "extend = './b.toml'\noutput-format = 'html'");
  tree.Write("conf/b.toml", "output-format = 'json'\nfail-on = 'error'");
  auto index = Index(tree);
  CHECK(index->run().output_format == "html");
  CHECK(index->run().fail_on == findings::Severity::kError);
  CHECK(index->run().files == std::vector<std::string>{tree.Path("torchleak.toml"),
                                                       tree.Path("conf/a.toml"),
                                                       tree.Path("conf/b.toml")});
  tree.Link("../torchleak.toml", "conf/link.toml");
  tree.Write("conf/b.toml", "extend = 'link.toml'");
  auto circle = SettingsIndex::Create({.root = tree.root()});
  REQUIRE_FALSE(circle);
  CHECK(circle.error().message.find("goes in a circle: torchleak.toml -> conf/a.toml -> "
                                    "conf/b.toml -> conf/link.toml") != std::string::npos);
  for (int i = 0; i < 40; ++i) {
    tree.Write("conf/" + std::to_string(i) + ".toml",
               "extend = '" + std::to_string(i + 1) + ".toml'");
  }
  tree.Write("torchleak.toml", "extend = 'conf/0.toml'");
  auto endless = SettingsIndex::Create({.root = tree.root()});
  REQUIRE_FALSE(endless);
  CHECK(endless.error().message.find("more than 32 files") != std::string::npos);
}

TEST_CASE("a mistake below is met when its folder is asked for, every time") {
  TempTree tree;
  tree.Write("p/torchleak.toml", "selct = []");
  auto index = Index(tree);
  CHECK(FormatOf(*index, tree.Path("a.py")) == "full");
  for (int i = 0; i < 2; ++i) {
    CHECK(FormatOf(*index, tree.Path("p/q/a.py")).find("p/torchleak.toml:1:1: unknown key") == 0);
  }
}

TEST_CASE("threads may ask at the same time") {
  TempTree tree;
  tree.Write("p/torchleak.toml", "output-format = 'html'");
  auto index = Index(tree);
  std::array<int, 4> right{};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        auto settings = index->ForFile(tree.Path("p/" + std::to_string(i) + "/a.py"));
        right[t] += settings && (*settings)->output_format == "html";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int count : right) CHECK(count == 200);
}

TEST_CASE("the rules of a run are those of all its files together") {
  TempTree tree;
  tree.Write("torchleak.toml", "select = ['TLK101']");
  tree.Write("p/torchleak.toml", "select = ['TLK2']");
  auto index = Index(tree);
  const std::array<SettingsPtr, 2> both = {*index->ForFile(tree.Path("a.py")),
                                           *index->ForFile(tree.Path("p/a.py"))};
  const Rules rules = UnionOfRules(both);
  CHECK(Contains(rules, "TLK101"));
  CHECK(Contains(rules, "TLK201"));
  CHECK_FALSE(Contains(rules, "TLK102"));
}

}  // namespace
}  // namespace torchleak::config
