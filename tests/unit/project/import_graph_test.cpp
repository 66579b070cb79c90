#include "project/import_graph.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "project/dependencies.h"
#include "tests/unit/project/project.h"

namespace torchleak::project {
namespace {

std::string Names(const Project& project, std::span<const FileId> files) {
  std::string names;
  for (const FileId id : files) names += (names.empty() ? "" : " ") + project.Short(id);
  return names;
}

std::string DependenciesOf(Project* project, std::string_view path) {
  return Names(*project, Dependencies(&project->index, project->Add(path)));
}

ImportGraph Graph(Project* project, std::vector<std::string> starts) {
  std::vector<FileId> ids;
  for (const std::string& path : starts) ids.push_back(project->Add(path));
  return {&project->index, ids};
}

// "a.py b.py <0 1; c.py": files of each component, and the components it depends on.
std::string Order(const Project& project, const ImportGraph& graph) {
  std::string text;
  for (const Component& component : graph.components()) {
    text += (text.empty() ? "" : "; ") + Names(project, component.files);
    for (const std::uint32_t other : component.dependencies) text += " <" + std::to_string(other);
  }
  return text;
}

TEST_CASE("a file depends on those that define what it imports") {
  Project p({{"train.py",
              "from pkg import Trainer, nn, other, __version__, unseen\nimport os\n"
              "import train, util\nfrom missing import x\n"},
             {"util.py", ""},
             {"pkg/__init__.py",
              "from .trainer import Trainer\nfrom torch import nn\n"
              "from .unused import x\n__version__ = 1\n"},
             {"pkg/trainer.py", "from .base import Base\n"},
             {"pkg/other.py", ""},
             {"pkg/unused.py", ""},
             {"pkg/base.py", ""}});
  CHECK_EQ(DependenciesOf(&p, "train.py"), "pkg/other.py pkg/trainer.py util.py");
  CHECK_EQ(DependenciesOf(&p, "pkg/trainer.py"), "pkg/base.py");
  CHECK_EQ(DependenciesOf(&p, "pkg/__init__.py"), "pkg/trainer.py pkg/unused.py");
}

TEST_CASE("of a package as such, what the code takes from it") {
  const std::string_view init = "from .a import f\nfrom .b import g\ndef own(): pass\n";
  Project p({{"pkg/__init__.py", init},
             {"pkg/a.py", ""},
             {"pkg/b.py", ""},
             {"pkg/sub/__init__.py", "from .c import h\n"},
             {"pkg/sub/c.py", ""},
             {"ns/m.py", ""},
             {"x.py", "import pkg\n'''pkg.g'''  # pkg.g\nx.pkg.g\npkg.f(pkg.sub.h)\n"},
             {"y.py", "import pkg as q\nfrom pkg import sub as s\nq.own(), s.c.z, s.q.g\n"},
             {"z.py", "import pkg.a, ns\npkg.unseen(), pkg.__version__, ns.m.f()"},
             {"only.py", "import pkg\n"}});
  CHECK_EQ(DependenciesOf(&p, "x.py"), "pkg/a.py pkg/sub/c.py");
  CHECK_EQ(DependenciesOf(&p, "y.py"), "pkg/__init__.py pkg/sub/c.py");
  CHECK_EQ(DependenciesOf(&p, "z.py"), "ns/m.py pkg/a.py");
  CHECK_EQ(DependenciesOf(&p, "only.py"), "");
}

TEST_CASE("stars: the source, and of its imports those that the file names") {
  Project p({{"x.py", "from m import *\nf(g)\n"},
             {"m.py", "from a import f, unused\nfrom n import *\nfrom b import unused_too\n"},
             {"n.py", "from m import *\nfrom c import g\n"},
             {"a.py", ""},
             {"b.py", ""},
             {"c.py", ""},
             {"d.py", "from missing import *\nfrom d import *\n"}});
  CHECK_EQ(DependenciesOf(&p, "x.py"), "a.py c.py m.py n.py");
  CHECK_EQ(DependenciesOf(&p, "d.py"), "");
}

TEST_CASE("components come after those they depend on") {
  Project p({{"main.py", "import a, e\n"},
             {"a.py", "import b\n"},
             {"b.py", "import c\nimport d\n"},
             {"c.py", "import a\n"},
             {"d.py", ""},
             {"e.py", "import d, missing\n"}});
  const ImportGraph graph = Graph(&p, {"main.py"});
  CHECK_EQ(Names(p, graph.files()), "a.py b.py c.py d.py e.py main.py");
  CHECK_EQ(Order(p, graph), "d.py; a.py b.py c.py <0; e.py <0; main.py <1 <2");
  CHECK_EQ(Names(p, graph.Dependents(p.Add("d.py"))), "a.py b.py c.py e.py main.py");
  CHECK_EQ(Names(p, graph.Dependents(p.Add("b.py"))), "a.py c.py main.py");
  CHECK_EQ(Names(p, graph.Dependents(p.Add("main.py"))), "");
  CHECK_EQ(Names(p, graph.Dependents(p.Add("nowhere.py"))), "");
  CHECK_EQ(Names(p, graph.DependenciesOf(p.Add("b.py"))), "c.py d.py");
  CHECK(graph.DependenciesOf(p.Add("nowhere.py")).empty());
}

TEST_CASE("nothing depends on the order of the starts") {
  const Files files = {{"a.py", "import b\n"},
                       {"b.py", "import c\n"},
                       {"c.py", "import a, d\n"},
                       {"d.py", ""},
                       {"e.py", "import b\n"}};
  Project p(files);
  Project q(files);
  CHECK_EQ(Order(p, Graph(&p, {"a.py", "b.py", "c.py", "d.py", "e.py"})),
           Order(q, Graph(&q, {"e.py", "d.py", "c.py", "d.py", "b.py", "a.py"})));
}

TEST_CASE("a chain of 2,000 files, and one that is closed") {
  Project p({});
  for (int i = 0; i < 2'000; ++i) {
    p.Put("m" + std::to_string(i) + ".py", "import m" + std::to_string(i + 1) + "\n");
  }
  const ImportGraph open = Graph(&p, {"m0.py"});
  CHECK_EQ(open.components().size(), 2'000);
  CHECK_EQ(p.Short(open.components()[0].files[0]), "m1999.py");
  CHECK_EQ(open.Dependents(p.Add("m1999.py")).size(), 1'999);

  Project q({});
  for (int i = 0; i < 2'000; ++i) {
    q.Put("m" + std::to_string(i) + ".py", "import m" + std::to_string((i + 1) % 2'000) + "\n");
  }
  CHECK_EQ(Graph(&q, {"m5.py"}).components().size(), 1);
}

// Against the definition: two files are in one component when each reaches the other.
TEST_CASE("random graphs") {
  std::uint64_t state = 7;
  const auto random = [&state](std::size_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(state >> 33U) % below;
  };
  constexpr std::size_t kFiles = 12;
  for (int round = 0; round < 100; ++round) {
    Project p({});
    std::vector<std::string> starts;
    std::vector<std::vector<bool>> reaches(kFiles, std::vector<bool>(kFiles));
    const std::size_t density = 1 + random(3);
    for (std::size_t i = 0; i < kFiles; ++i) {
      std::string bytes;
      for (std::size_t k = random(density + 1); k > 0; --k) {
        const std::size_t to = random(kFiles);
        reaches[i][to] = true;
        bytes += "import m" + std::to_string(10 + to) + "\n";
      }
      starts.push_back("m" + std::to_string(10 + i) + ".py");
      p.Put(starts.back(), bytes);
    }
    for (std::size_t k = 0; k < kFiles; ++k) {
      for (std::size_t i = 0; i < kFiles; ++i) {
        for (std::size_t j = 0; j < kFiles; ++j) {
          if (reaches[i][k] && reaches[k][j]) reaches[i][j] = true;
        }
      }
    }
    const ImportGraph graph = Graph(&p, starts);
    REQUIRE_EQ(graph.files().size(), kFiles);
    std::vector<std::uint32_t> component_of(kFiles);
    const auto number = [&](FileId id) {
      return static_cast<std::size_t>(std::stoi(p.Short(id).substr(1))) - 10;
    };
    for (std::uint32_t c = 0; c < graph.components().size(); ++c) {
      for (const FileId id : graph.components()[c].files) component_of[number(id)] = c;
      for (const std::uint32_t other : graph.components()[c].dependencies) CHECK_LT(other, c);
    }
    for (std::size_t i = 0; i < kFiles; ++i) {
      for (std::size_t j = 0; j < kFiles; ++j) {
        const bool together = i == j || (reaches[i][j] && reaches[j][i]);
        CHECK_EQ(component_of[i] == component_of[j], together);
        if (reaches[i][j]) CHECK_GE(component_of[i], component_of[j]);
      }
    }
  }
}

}  // namespace
}  // namespace torchleak::project
