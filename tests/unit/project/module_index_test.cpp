#include "project/module_index.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "tests/unit/project/project.h"

namespace torchleak::project {
namespace {

TEST_CASE("absolute imports: nearest folder first, up to the root") {
  Project p({{"train.py", ""},
             {"utils.py", ""},
             {"tools/run.py", ""},
             {"tools/utils.py", ""},
             {"tools/deep/x.py", ""},
             {"pkg/__init__.py", ""},
             {"pkg/sub/__init__.py", ""},
             {"pkg/sub/mod.py", ""},
             {"pkg/both.py", ""},
             {"pkg/both/__init__.py", ""}});
  CHECK_EQ(p.Resolve("train.py", "utils"), "utils.py");
  CHECK_EQ(p.Resolve("tools/run.py", "utils"), "tools/utils.py");
  CHECK_EQ(p.Resolve("tools/deep/x.py", "utils"), "tools/utils.py");
  CHECK_EQ(p.Resolve("tools/deep/x.py", "pkg.sub.mod"), "pkg/sub/mod.py");
  CHECK_EQ(p.Resolve("train.py", "pkg"), "pkg/__init__.py");
  CHECK_EQ(p.Resolve("train.py", "pkg.both"), "pkg/both/__init__.py");
  CHECK_EQ(p.Resolve("train.py", "torch.nn"), "none");
  CHECK_EQ(p.Resolve("train.py", "mod"), "none");
  CHECK_EQ(p.Resolve("train.py", "pkg.nothing"), "none");
}

TEST_CASE("src, python and lib of each folder above") {
  Project p({{"train.py", ""},
             {"examples/a.py", ""},
             {"src/pkg/__init__.py", ""},
             {"src/pkg/m.py", "from pkg import x"},
             {"python/p.py", ""},
             {"lib/l.py", ""},
             {"sources/s.py", ""}});
  CHECK_EQ(p.Resolve("train.py", "pkg.m"), "src/pkg/m.py");
  CHECK_EQ(p.Resolve("examples/a.py", "pkg.m"), "src/pkg/m.py");
  CHECK_EQ(p.Resolve("examples/a.py", "p"), "python/p.py");
  CHECK_EQ(p.Resolve("examples/a.py", "l"), "lib/l.py");
  CHECK_EQ(p.Resolve("examples/a.py", "s"), "none");
  CHECK_EQ(p.Resolve("src/pkg/m.py", "pkg"), "src/pkg/__init__.py");
}

TEST_CASE("relative imports start at the file's folder and end at the root") {
  Project p({{"pkg/__init__.py", ""},
             {"pkg/a.py", ""},
             {"pkg/sub/__init__.py", ""},
             {"pkg/sub/b.py", ""},
             {"pkg/plain/c.py", ""},
             {"top.py", ""}});
  CHECK_EQ(p.Resolve("pkg/__init__.py", ".a"), "pkg/a.py");
  CHECK_EQ(p.Resolve("pkg/sub/b.py", ".."), "pkg/__init__.py");
  CHECK_EQ(p.Resolve("pkg/sub/b.py", "..a"), "pkg/a.py");
  CHECK_EQ(p.Resolve("pkg/sub/__init__.py", "."), "none");  // itself
  CHECK_EQ(p.Resolve("pkg/sub/__init__.py", ".."), "pkg/__init__.py");
  CHECK_EQ(p.Resolve("pkg/plain/x.py", "."), "namespace");
  CHECK_EQ(p.Resolve("pkg/a.py", "..top"), "top.py");
  CHECK_EQ(p.Resolve("pkg/a.py", "...top"), "none");
  CHECK_EQ(p.Resolve("pkg/a.py", std::string(100'000, '.')), "none");
  CHECK_EQ(p.Resolve("pkg/sub/b.py", ".pkg"), "none");  // not searched upwards
}

TEST_CASE("a file never means itself") {
  Project p({{"examples/trl.py", ""}, {"trl/__init__.py", ""}, {"torch.py", ""}});
  CHECK_EQ(p.Resolve("examples/trl.py", "trl"), "trl/__init__.py");
  CHECK_EQ(p.Resolve("torch.py", "torch"), "none");
  CHECK_EQ(p.Resolve("examples/x.py", "torch"), "torch.py");
}

TEST_CASE("folders without __init__.py: only on the way to a file") {
  Project p({{"a/torch/data.bin", ""},
             {"a/x.py", ""},
             {"a/ns/deep/mod.py", ""},
             {"torch/__init__.py", ""},
             {"torch/nn.py", ""},
             {"ns.py", ""}});
  CHECK_EQ(p.Resolve("a/x.py", "torch"), "torch/__init__.py");
  CHECK_EQ(p.Resolve("a/x.py", "torch.nn"), "torch/nn.py");
  CHECK_EQ(p.Resolve("a/x.py", "ns"), "ns.py");
  CHECK_EQ(p.Resolve("a/x.py", "ns.deep.mod"), "a/ns/deep/mod.py");
  CHECK_EQ(p.Resolve("a/x.py", "ns.deep"), "namespace");
  CHECK_EQ(p.Resolve("x.py", "a.torch"), "none");
  CHECK_EQ(p.Locate("a/x.py", "ns.deep.mod.f"), "a/ns/deep/mod.py f");
}

TEST_CASE("a package's own folder is not searched") {
  Project p({{"pkg/__init__.py", "import torch"},
             {"pkg/typing.py", "from typing import Any"},
             {"pkg/datasets.py", ""},
             {"pkg/a.py", "from . import b\nimport datasets"},
             {"pkg/sub/__init__.py", ""},
             {"pkg/sub/b.py", "import datasets, typing"},
             {"pkg/lib/typing.py", ""},
             {"tests/__init__.py", ""},
             {"tests/pkg/__init__.py", ""},
             {"tests/test_a.py", "import pkg"}});
  CHECK_EQ(p.Resolve("pkg/a.py", "typing"), "none");
  CHECK_EQ(p.Resolve("pkg/a.py", "datasets"), "none");
  CHECK_EQ(p.Resolve("pkg/sub/b.py", "typing"), "none");
  CHECK_EQ(p.Resolve("pkg/sub/b.py", "datasets"), "none");
  CHECK_EQ(p.Resolve("pkg/a.py", "pkg.datasets"), "pkg/datasets.py");
  CHECK_EQ(p.Resolve("tests/test_a.py", "pkg"), "pkg/__init__.py");
}

TEST_CASE("unless the file could be a script that finds nothing else") {
  Project p({{"bench/__init__.py", "import models"},
             {"bench/run.py", "import models, typing, utils"},
             {"bench/part.py", "from .x import y\nimport models"},
             {"bench/models.py", ""},
             {"bench/typing.py", ""},
             {"bench/utils.py", ""},
             {"utils.py", ""}});
  CHECK_EQ(p.Resolve("bench/run.py", "models"), "bench/models.py");
  CHECK_EQ(p.Locate("bench/run.py", "models.f"), "bench/models.py f");
  CHECK_EQ(p.Resolve("bench/run.py", "typing"), "none");
  CHECK_EQ(p.Resolve("bench/run.py", "utils"), "utils.py");
  CHECK_EQ(p.Resolve("bench/part.py", "models"), "none");
  CHECK_EQ(p.Resolve("bench/__init__.py", "models"), "none");
}

TEST_CASE("unrelated files and the order of adding change nothing") {
  Project p({{"a/x.py", ""}, {"b/utils.py", ""}, {"utils/__init__.py", ""}});
  p.index.Add("/repo/b/utils.py");
  CHECK_EQ(p.Resolve("a/x.py", "utils"), "utils/__init__.py");
  Project q({{"a/x.py", ""}, {"b/utils.py", ""}, {".venv/lib/utils.py", ""}});
  q.index.Add("/repo/b/utils.py");
  q.index.Add("/repo/.venv/lib/utils.py");
  CHECK_EQ(q.Resolve("a/x.py", "utils"), "none");
}

TEST_CASE("a file outside of the root knows its own folder") {
  Project p({{"x.py", ""}});
  p.tree.Put("/other/deep/a.py", "");
  p.tree.Put("/other/deep/b.py", "");
  p.tree.Put("/other/c.py", "");
  const FileId a = p.index.Add("/other/deep/a.py");
  CHECK_EQ(p.index.path(p.index.Resolve(a, "b").file), "/other/deep/b.py");
  CHECK_EQ(p.index.Resolve(a, "c").file, kNoFile);
  CHECK_EQ(p.index.Resolve(a, "..c").file, kNoFile);
  CHECK_EQ(p.index.Resolve(a, "x").file, kNoFile);
}

TEST_CASE("names of modules") {
  Project p({{"__init__.py", ""},
             {"train.py", ""},
             {"src/pkg/__init__.py", ""},
             {"src/pkg/sub/__init__.py", ""},
             {"src/pkg/sub/m.py", ""},
             {"src/pkg/plain/m.py", ""}});
  const auto name = [&](std::string_view path) {
    return p.index.ModuleName(p.index.Add("/repo/" + std::string(path)));
  };
  CHECK_EQ(name("train.py"), "train");
  CHECK_EQ(name("src/pkg/__init__.py"), "pkg");
  CHECK_EQ(name("src/pkg/sub/m.py"), "pkg.sub.m");
  CHECK_EQ(name("src/pkg/plain/m.py"), "m");
  CHECK_EQ(name("__init__.py"), "repo");
}

TEST_CASE("malformed and enormous modules are none") {
  Project p({{"a/__init__.py", ""}, {"a/b.py", ""}});
  for (const std::string_view module : {"", "a..b", "a.", "a/b", ".a..b", "./b"}) {
    CAPTURE(module);
    CHECK_EQ(p.Resolve("x.py", module), "none");
  }
  CHECK_EQ(p.Resolve("x.py", std::string(100'000, 'a')), "none");
  std::string dotted = "a";
  for (int i = 0; i < 50'000; ++i) dotted += ".a";
  CHECK_EQ(p.Resolve("x.py", dotted), "none");
  CHECK_EQ(p.Locate("x.py", dotted), "a/__init__.py" + (' ' + dotted.substr(2)));
  CHECK_EQ(p.Locate("x.py", std::string(100'000, '.')), "none");
  CHECK_EQ(p.Locate("x.py", ""), "none");
}

TEST_CASE("an overlay hides the file below it") {
  MemoryTree disk;
  disk.Put("/repo/a.py", "from b import f");
  disk.Put("/repo/b.py", "");
  OverlayTree tree(&disk);
  tree.Put("/repo/a.py", "from c import f");
  tree.Put("/repo/c.py", "def f(): pass");
  ModuleIndex index(&tree, "/repo");
  const FileId x = index.Add("/repo/x.py");
  const Located f = index.Locate(x, "a.f");
  REQUIRE(f);
  CHECK_EQ(index.path(f.file), "/repo/c.py");
  CHECK_EQ(f.name, "f");
  CHECK_NE(index.Resolve(x, "b").file, kNoFile);
}

}  // namespace
}  // namespace torchleak::project
