// Imports and the qualified names that follow from them.
#include "fixture.h"

namespace torchleak::sema {
namespace {

using syntax::Kind;

TEST_CASE("plain, dotted and aliased imports") {
  const Py py(R"(
import torch, os.path
import torch as th
import torch.nn as nn
import torch.nn.functional
from torch.nn import functional as F, Linear
from torch import (optim,
    no_grad as ng)
th.nn.functional.relu(x)
nn.Module
torch.nn.functional.gelu
F.mse_loss
Linear
optim.SGD
ng
os.path.join
(th).tensor
)");
  CHECK(py.Qualified("th.nn.functional.relu") == "torch.nn.functional.relu");
  CHECK(py.Qualified("nn.Module") == "torch.nn.Module");
  CHECK(py.Qualified("torch.nn.functional.gelu") == "torch.nn.functional.gelu");
  CHECK(py.Qualified("F.mse_loss") == "torch.nn.functional.mse_loss");
  CHECK(py.Qualified("Linear", 1) == "torch.nn.Linear");
  CHECK(py.Qualified("optim.SGD") == "torch.optim.SGD");
  CHECK(py.Qualified("ng", 1) == "torch.no_grad");
  CHECK(py.Qualified("os.path.join") == "os.path.join");
  CHECK(py.Qualified("(th).tensor", 0) == "torch.tensor");
  const std::vector<std::string> modules = {"torch", "os.path", "torch.nn", "torch.nn.functional"};
  CHECK(py->imported_modules() == modules);
}

TEST_CASE("relative imports keep their dots") {
  const Py py(R"(
from . import util
from .a import b
from ..x.y import y as z
from ... import top
util.f; b; z.g; top
)");
  CHECK(py.Qualified("util.f") == ".util.f");
  CHECK(py.Qualified("b", 1) == ".a.b");
  CHECK(py.Qualified("z.g") == "..x.y.y.g");
  CHECK(py.Of("top").qualified == "...top");
  CHECK(py->imported_modules() == std::vector<std::string>{".", ".a", "..x.y", "..."});
}

TEST_CASE("white space and line ends inside a dotted name") {
  const Py py("import torch . nn as n\nfrom torch \\\n  . optim import SGD\nn.Linear\nSGD\n");
  CHECK(py.Qualified("n.Linear") == "torch.nn.Linear");
  CHECK(py.Qualified("SGD", 1) == "torch.optim.SGD");
}

TEST_CASE("star imports are listed and bind nothing") {
  const Py py("from torch.nn import *\nfrom .base import *\nLinear(3)\nopen(f)\n");
  CHECK(py->star_imports() == std::vector<std::string>{"torch.nn", ".base"});
  CHECK(py.At("Linear") == kNoBinding);
  CHECK(py.Qualified("Linear") == "");
  CHECK(py->imported_modules() == std::vector<std::string>{"torch.nn", ".base"});
}

TEST_CASE("imports inside functions are the function's") {
  const Py py("def f():\n    import torch.nn as nn\n    return nn.Module\nnn.Linear\n");
  CHECK(py.Qualified("nn.Module") == "torch.nn.Module");
  CHECK(py.Qualified("nn.Linear") == "");
}

TEST_CASE("of alternative imports the first stands") {
  const Py py(R"(
try:
    import torch.cuda.amp as amp
except ImportError:
    import apex.amp as amp
if new:
    from torch.utils import data
else:
    from mine import data
amp.GradScaler
data.DataLoader
)");
  CHECK(py.Qualified("amp.GradScaler") == "torch.cuda.amp.GradScaler");
  CHECK(py.Of("amp", 1).assignments == 2);
  CHECK(py.Qualified("data.DataLoader") == "torch.utils.data.DataLoader");
}

TEST_CASE("a later import on the same path replaces the earlier one") {
  const Py py("from apex.parallel import DDP\nfrom torch.nn.parallel import DDP\nDDP\n");
  CHECK(py.Qualified("DDP", 2) == "torch.nn.parallel.DDP");
}

TEST_CASE("placeholders and fallbacks leave the import its name") {
  const Py py(R"(
try:
    import wandb
except ImportError:
    wandb = None
amp = None
try:
    from torch.cuda import amp
except ImportError:
    pass
try:
    from tqdm import tqdm
except ImportError:
    def tqdm(x): return x
try:
    from torch import inference_mode
except ImportError:
    inference_mode = torch.no_grad
wandb.log
amp.autocast
tqdm
inference_mode
)");
  CHECK(py.Qualified("wandb.log") == "wandb.log");
  CHECK(py.Qualified("amp.autocast") == "torch.cuda.amp.autocast");
  CHECK(py.Qualified("tqdm", 3) == "tqdm.tqdm");
  CHECK(py.Of("tqdm", 1).function == kNoFunction);
  CHECK(py.Qualified("inference_mode", 2) == "torch.inference_mode");
}

TEST_CASE("an import that other code rebinds is silent") {
  const Py py(R"(
from torch import optim, loss, nn, cuda
optim = optim.Adam(p)
for loss in losses: pass
def nn(): pass
if cuda:
    cuda = 3
optim.step
loss.item
nn.Module
cuda.synchronize
)");
  CHECK(py.Qualified("optim.step") == "");
  CHECK(py.Qualified("loss.item") == "");
  CHECK(py.Qualified("nn.Module") == "");
  CHECK(py.Qualified("cuda.synchronize") == "");
  CHECK(py.Of("optim").shadowed);
  CHECK(py.Of("optim").qualified == "torch.optim");
}

TEST_CASE("parameters and locals hide imports") {
  const Py py(
      "import torch\ndef f(torch):\n    return torch.cat\ndef g():\n    return torch.cat\n");
  CHECK(py.Qualified("torch.cat", 0) == "");
  CHECK(py.Qualified("torch.cat", 1) == "torch.cat");
}

TEST_CASE("builtins give their own name unless something binds it") {
  const Py py(R"(
print(float(x), super().y, unknown)
y.print
f(open=1)
def g(list): return list, dict
from io import range
)");
  CHECK(py.Qualified("print", 0) == "print");
  CHECK(py.Qualified("float") == "float");
  CHECK(py.Qualified("super") == "super");
  CHECK(py.Qualified("unknown") == "");
  CHECK(py.Qualified("print", 1) == "");  // an attribute
  CHECK(py.Qualified("open") == "");      // a keyword
  CHECK(py.Qualified("list", 1) == "");
  CHECK(py.Qualified("dict") == "dict");
  CHECK(py.Qualified("range") == "io.range");
  CHECK(py.Qualified("io") == "");
}

TEST_CASE("calls and subscripts in a chain have no qualified name") {
  const Py py("import torch\ntorch.cuda().stream\ntorch.x[0].y\nself.torch.z\n");
  CHECK(py.Qualified("torch.cuda().stream") == "");
  CHECK(py.Qualified("torch.x[0].y") == "");
  CHECK(py.Qualified("self.torch.z") == "");
  CHECK(py.Qualified("torch.cuda") == "torch.cuda");
  CHECK(py->QualifiedName(syntax::kNoNode) == "");
}

TEST_CASE("annotations and class patterns have qualified names") {
  const Py py(R"(
import torch
def f(x: torch.Tensor):
    match x:
        case torch.Size(): pass
)");
  CHECK(py->QualifiedName(py.Node(Kind::kType, "torch.Tensor")) == "torch.Tensor");
  CHECK(py->QualifiedName(py.Node(Kind::kDottedName, "torch.Size")) == "torch.Size");
}

TEST_CASE("__future__ imports") {
  const Py py("from __future__ import annotations\nimport a\n");
  CHECK(py.Of("annotations").qualified == "__future__.annotations");
  CHECK(py->imported_modules() == std::vector<std::string>{"__future__", "a"});
}

}  // namespace
}  // namespace torchleak::sema
