#include "project/module_index.h"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace torchleak::project {
namespace {

using Files = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// A project below /repo, and its index. Files are named relative to that.
struct Project {
  explicit Project(Files files) : index(&tree, "/repo") {
    for (const auto& [path, bytes] : files) Put(path, bytes);
  }
  void Put(std::string_view path, std::string_view bytes) {
    tree.Put("/repo/" + std::string(path), std::string(bytes));
  }
  std::string Short(FileId id) const {
    return id == kNoFile ? "none" : index.path(id).substr(std::string_view("/repo/").size());
  }
  std::string Resolve(std::string_view from, std::string_view module) {
    const Resolved found = index.Resolve(index.Add("/repo/" + std::string(from)), module);
    return found.is_namespace ? "namespace" : Short(found.file);
  }
  // "file name"
  std::string Locate(std::string_view from, std::string_view qualified) {
    const Located found = index.Locate(index.Add("/repo/" + std::string(from)), qualified);
    if (!found) return "none";
    return Short(found.file) + (found.name.empty() ? "" : " ") + found.name;
  }

  MemoryTree tree;
  ModuleIndex index;
};

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

TEST_CASE("a name is found through re-exports") {
  Project p({{"pkg/__init__.py",
              "from .trainer import Trainer as T\nfrom . import sub\n"
              "import pkg.other as o\nfrom torch import nn\n"},
             {"pkg/trainer.py", "from .base import Base\nclass Trainer(Base): pass\n"},
             {"pkg/base.py", "class Base: pass\n"},
             {"pkg/other.py", "def f(): pass"},
             {"pkg/sub/__init__.py", "from ..trainer import *\nfrom .deep import g\n"},
             {"pkg/sub/deep.py", "def g(): pass\n"}});
  CHECK_EQ(p.Locate("x.py", "pkg.T.fit"), "pkg/trainer.py Trainer.fit");
  CHECK_EQ(p.Locate("x.py", "pkg.trainer.Base.run"), "pkg/base.py Base.run");
  CHECK_EQ(p.Locate("x.py", "pkg.o.f"), "pkg/other.py f");
  CHECK_EQ(p.Locate("x.py", "pkg.sub.g"), "pkg/sub/deep.py g");
  CHECK_EQ(p.Locate("x.py", "pkg.sub.Trainer"), "pkg/trainer.py Trainer");
  CHECK_EQ(p.Locate("x.py", "pkg.sub.Base"), "pkg/base.py Base");
  CHECK_EQ(p.Locate("x.py", "pkg.nn.Linear"), "none");
  CHECK_EQ(p.Locate("x.py", "torch.nn"), "none");
  CHECK_EQ(p.Locate("x.py", "pkg.sub"), "pkg/sub/__init__.py");
  CHECK_EQ(p.Locate("x.py", "pkg"), "pkg/__init__.py");
  CHECK_EQ(p.Locate("x.py", "pkg.unseen"), "pkg/__init__.py unseen");
  CHECK_EQ(p.Locate("pkg/sub/deep.py", "..trainer.Trainer"), "pkg/trainer.py Trainer");
  CHECK_EQ(p.Locate("pkg/base.py", ".T"), "pkg/trainer.py Trainer");
}

TEST_CASE("a package's own name comes before the file of that name") {
  Project p({{"pkg/__init__.py",
              "from .train import train\nfrom . import fit\n"
              "def run(): pass\nfrom .star import *\n"},
             {"pkg/train.py", "def train(): pass"},
             {"pkg/fit.py", "def fit(): pass"},
             {"pkg/run.py", ""},
             {"pkg/star.py", "def stop(): pass"},
             {"pkg/stop.py", ""}});
  CHECK_EQ(p.Locate("x.py", "pkg.train"), "pkg/train.py train");
  CHECK_EQ(p.Locate("x.py", "pkg.train.train"), "pkg/train.py train");
  CHECK_EQ(p.Locate("x.py", "pkg.fit"), "pkg/fit.py");
  CHECK_EQ(p.Locate("x.py", "pkg.run"), "pkg/__init__.py run");
  CHECK_EQ(p.Locate("x.py", "pkg.stop"), "pkg/star.py stop");
}

TEST_CASE("stars: only what the source binds or defines, the last one first") {
  Project p({{"m.py", "from a import *\nfrom b import *\nfrom torch import *\nmine = 1\n"},
             {"a.py", "def f(): pass\nclass C:\n  def method(self): pass\n"},
             {"b.py", "from c import *\nimport d\nK: int = 3\n_hidden = 1\n"},
             {"c.py", "if x:\n  def f(): pass\nelse:\n  async def f(): pass\n"},
             {"d.py", "def h(): pass"}});
  CHECK_EQ(p.Locate("x.py", "m.f"), "c.py f");
  CHECK_EQ(p.Locate("x.py", "m.C.method"), "a.py C.method");
  CHECK_EQ(p.Locate("x.py", "m.method"), "m.py method");
  CHECK_EQ(p.Locate("x.py", "m.d.h"), "d.py h");
  CHECK_EQ(p.Locate("x.py", "m.K"), "b.py K");
  CHECK_EQ(p.Locate("x.py", "m.mine"), "m.py mine");
  CHECK_EQ(p.Locate("x.py", "m._hidden"), "m.py _hidden");
}

TEST_CASE("alternatives: the first that stays in the project") {
  Project p({{"m.py",
              "try:\n  from apex import f\nexcept ImportError:\n  from slow import f\n"
              "try:\n  from apex import g\nexcept ImportError:\n  def g(): pass\n"},
             {"slow.py", "def f(): pass"},
             {"lazy.py", "def load():\n  from slow import f\n"},
             {"typed.py", "if TYPE_CHECKING:\n    from slow import f\n"}});
  CHECK_EQ(p.Locate("x.py", "m.f"), "slow.py f");
  CHECK_EQ(p.Locate("x.py", "m.g"), "m.py g");
  CHECK_EQ(p.Locate("x.py", "lazy.f"), "lazy.py f");
  CHECK_EQ(p.Locate("x.py", "typed.f"), "slow.py f");
}

TEST_CASE("cycles and long chains end") {
  Project p({{"a.py", "from b import f\nfrom b import *\n"},
             {"b.py", "from a import f\nfrom a import *\n"},
             {"s.py", "from t import *\nfrom u import *\nfrom s import *\n"},
             {"t.py", "from s import *\nfrom u import *\n"},
             {"u.py", "from t import *\nfrom s import *\n"}});
  CHECK_EQ(p.Locate("x.py", "a.f"), "none");
  CHECK_EQ(p.Locate("x.py", "a.g"), "a.py g");
  CHECK_EQ(p.Locate("x.py", "s.nothing"), "s.py nothing");
  for (int i = 0; i < 40; ++i) {
    p.Put("chain" + std::to_string(i) + ".py",
          "from chain" + std::to_string(i + 1) + " import f\n");
  }
  p.Put("chain40.py", "def f(): pass\n");
  CHECK_EQ(p.Locate("x.py", "chain30.f"), "chain40.py f");
  CHECK_EQ(p.Locate("x.py", "chain0.f"), "none");
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
