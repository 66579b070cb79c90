#include <doctest/doctest.h>

#include <string>

#include "tests/unit/project/project.h"

namespace torchleak::project {
namespace {

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

TEST_CASE("a star source that takes the name from the package itself is passed over") {
  Project p({{"pkg/__init__.py", "from .pool import *\nfrom .glob import *\n"},
             {"pkg/glob.py", "from pkg import add_pool\n"},
             {"pkg/pool.py", "def add_pool(): pass\n"}});
  CHECK_EQ(p.Locate("x.py", "pkg.add_pool"), "pkg/pool.py add_pool");
  CHECK_EQ(p.Locate("x.py", "pkg.glob.add_pool"), "pkg/pool.py add_pool");
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

}  // namespace
}  // namespace torchleak::project
