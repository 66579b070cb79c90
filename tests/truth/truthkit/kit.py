"""What a drive gets: models, batches that measure at each turn, notes."""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, Iterator, Optional

import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_pre_hook
from truthkit import calls, memory, models, pretend
from truthkit.pages import Block

LOADERS = ("loader", "dataloader", "data_loader", "batches", "chunks", "stream")
FULL = 20e9  # bytes
MODELS = ("model", "net", "network", "encoder", "module", "classifier", "backbone", "student", "body")


class Skipped(Exception):
    pass


class Loader:
    """Batches of clones of the same tensors, always as many; each turn takes a measurement.

    `items` is 1 for images alone, 2 for (images, labels), more for more labels.
    """

    def __init__(self, kit: Kit, items: int, turns: int, make: Optional[Callable[[], Any]] = None) -> None:
        self.kit, self.items, self.turns = kit, items, turns
        self.make = make or self.batch
        self.dataset = range(turns * kit.batch)
        self.batch_size = kit.batch

    def batch(self) -> Any:
        if self.items == 1:
            return self.kit.images()
        return (self.kit.images(), *(self.kit.labels() for _ in range(self.items - 1)))

    def __len__(self) -> int:
        return self.turns

    def __iter__(self) -> Iterator[Any]:
        for _ in range(self.turns):
            self.kit.sample(id(self))
            if self.kit.full(id(self)):
                return
            yield self.make()
        self.kit.sample(id(self))


class LoadedBlock:
    """A block as its module: block.train. It is executed when something of it is first asked for.

    block.load(name=value) executes it with these names defined before.
    """

    def __init__(self, block: Block, kit: Kit) -> None:
        self.page = block
        self.names, self.side = block.names, block.side
        self.text = block.text if kit.gpu else pretend.for_cpu(block.text)
        self._name = f"block_{block.rule.replace('-', '_')}_{block.name}"
        (kit.folder / f"{self._name}.py").write_text(self.text, encoding="utf-8")
        self._module: Optional[ModuleType] = None

    def load(self, **names: Any) -> ModuleType:
        if self._module is None:
            spec = importlib.util.find_spec(self._name)
            assert spec and spec.loader
            self._module = importlib.util.module_from_spec(spec)
            vars(self._module).update(names)
            sys.modules[self._name] = self._module
            spec.loader.exec_module(self._module)
        return self._module

    def unload(self) -> None:
        self._module = None
        sys.modules.pop(self._name, None)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.load(), name)


class Kit:
    def __init__(self, device: str, turns: int = 0, alone: bool = False) -> None:
        self.gpu = device == "cuda"
        self.device = torch.device(device)
        self.turns = turns or ((30 if alone else 15) if self.gpu else 12)
        self.batch = 64 if self.gpu else 32
        self.shape = (3, 224, 224) if self.gpu else (3, 16, 16)
        self.classes = 1000 if self.gpu else 10
        self.folder = Path(tempfile.mkdtemp(prefix="truth-"))
        self.notes: dict[str, float] = {}
        self.samples: dict[int, list[tuple[int, int]]] = {}
        self.times: list[float] = []
        self._left = 0.0
        self._finish: list[Callable[[], None]] = []
        sys.path.insert(0, str(self.folder))

    # Networks and data

    def new_model(self) -> nn.Sequential:
        with self.device:
            torch.manual_seed(0)
            return models.resnet50(self.classes) if self.gpu else models.small(self.classes)

    @functools.cached_property
    def model(self) -> nn.Sequential:
        return self.new_model()

    @functools.cached_property
    def optimizer(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.model.parameters(), lr=1e-3)

    @property
    def layer(self) -> nn.Module:
        """A layer in the middle of the model."""
        return self.model[4]

    def saved(self) -> Path:
        """A file with the weights of the model."""
        path = self.folder / "weights.pt"
        if not path.exists():
            torch.save(self.model.state_dict(), path)
        return path

    def decoder(self) -> nn.Module:
        return models.decoder(self.classes, self.shape).to(self.device)

    def mlp(self, inside: int = 1024, hidden: int = 1024, classes: int = 10, depth: int = 3) -> nn.Module:
        torch.manual_seed(0)
        return models.perceptron(inside, hidden, classes, depth).to(self.device)

    def tensor(self, *shape: int) -> torch.Tensor:
        """New, on the device, the same numbers each time."""
        generator = torch.Generator().manual_seed(0)
        return torch.randn(*shape, generator=generator).to(self.device)

    @functools.cached_property
    def _images(self) -> torch.Tensor:
        return self.tensor(self.batch, *self.shape)

    def images(self) -> torch.Tensor:
        return self._images.clone()

    def labels(self) -> torch.Tensor:
        return torch.arange(self.batch, device=self.device) % self.classes

    def loader(self, items: int = 2, turns: int = 0, make: Optional[Callable[[], Any]] = None) -> Loader:
        """`make()` gives each batch, where images and labels are not what the block wants."""
        return Loader(self, items, turns or self.turns, make)

    # Measuring

    def sample(self, place: int = 0) -> None:
        """Takes a measurement. Those of one `place` are compared with each other."""
        if self.gpu:
            torch.cuda.synchronize()
        now = time.perf_counter()
        if self._left:
            self.times.append(now - self._left)
        if gc.isenabled():
            gc.collect(0)  # young cycles, as an optimizer leaves them, would go some turns later in any case
        device = memory.device() if self.gpu else 0
        self.samples.setdefault(place, []).append((device, memory.host()))
        self._left = time.perf_counter()

    def steps(self, turns: int = 0) -> Iterator[int]:
        """for i in kit.steps(): … measures at each turn."""
        for i in range(turns or self.turns):
            self.sample(1)
            if self.full(1):
                return
            yield i
        self.sample(1)

    def full(self, place: int) -> bool:
        """Enough was seen, and the device is not this run's alone: activations of ResNet-50 are 5 GB a turn."""
        held = [device for device, _ in self.samples[place]]
        return len(held) > 6 and held[-1] - held[0] > FULL

    def note(self, name: str, value: float) -> None:
        self.notes[name] = float(value)

    def at_end(self, function: Callable[[], None]) -> None:
        self._finish.append(function)

    @contextlib.contextmanager
    def optional(self) -> Iterator[None]:
        """with kit.optional(): import … leaves the run out where that package is missing."""
        try:
            yield
        except ImportError as error:
            raise Skipped(str(error)) from error

    def finish(self) -> None:
        for function in self._finish:
            function()

    def watch_gradients(self, name: str = "gradient") -> None:
        """Notes how many times larger an optimizer's last gradient is than its first, all weights held still.

        Every batch is the same, so a gradient of one's own backward() is always the same, too.
        """
        seen: dict[int, list[float]] = {}

        def before(optimizer: torch.optim.Optimizer, *_: Any) -> None:
            grads = [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
            size = sum(float(grad.double().pow(2).sum()) for grad in grads) ** 0.5
            seen.setdefault(id(optimizer), []).append(size)
            for group in optimizer.param_groups:
                group["lr"] = 0.0

        def finish() -> None:
            handle.remove()
            ratios = [sizes[-1] / sizes[0] for sizes in seen.values() if sizes[0] > 0]
            self.note(name, max(ratios, default=0.0))

        handle = register_optimizer_step_pre_hook(before)
        self.at_end(finish)

    # Calls

    def provide(self, name: str, function: Callable) -> Any:
        """The argument for a parameter of this name."""
        if name in LOADERS or name.endswith("loader"):
            return self.loader(calls.items_of(function, name) or 2)
        if name in MODELS:
            return self.model
        simple: dict[str, Callable[[], Any]] = {
            "optimizer": lambda: self.optimizer,
            "opt": lambda: self.optimizer,
            "criterion": nn.CrossEntropyLoss,
            "loss_fn": nn.CrossEntropyLoss,
            "decoder": self.decoder,
            "held_out": lambda: self.loader(calls.items_of(function, name) or 2),
            "head": lambda: self.mlp(self.classes, 64, 10),
            "lr": lambda: 1e-3,
            "gamma": lambda: 0.99,
            "momentum": lambda: 0.9,
            "checkpoint": self.saved,
            "checkpoint_path": self.saved,
            "layer": lambda: self.layer,
            "device": lambda: self.device,
            "epochs": lambda: 1,
            "num_epochs": lambda: 1,
            "mode": lambda: "train",
            "training": lambda: True,
            "steps": lambda: self.turns,
            "path": self.saved,
            "folder": lambda: self.folder,
        }
        for names, make in ((("images", "image", "x", "batch", "inputs"), self.images),):
            simple.update(dict.fromkeys(names, make))
        simple.update(dict.fromkeys(("labels", "label", "y", "target", "targets"), self.labels))
        if name not in simple:
            raise TypeError(f"nothing is known for the parameter {name!r}: kit.call(…, {name}=…)")
        return simple[name]()

    def call(self, function: Callable, **given: Any) -> Any:
        """Calls it with what is given, and what the kit has for the other parameters, by their names."""
        return function(**calls.arguments(function, self.provide, given))

    def train(self, module: nn.Module, *inputs: torch.Tensor, backward: bool = True) -> None:
        """Forward, and backward of the sum, at each turn: for blocks that are a module and nothing else."""
        if not inputs:
            width = calls.input_width(module)
            inputs = (self.tensor(self.batch * 8, width) if width else self.images(),)
        module.to(self.device)
        for _ in self.steps():
            module.zero_grad()
            out = module(*(value.clone() for value in inputs))
            out = out[0] if isinstance(out, tuple) else out
            if backward:
                out.sum().backward()
            del out

    def auto(self, block: LoadedBlock) -> None:
        """The drive of blocks that have none: the last function or class that the block defines."""
        if not block.names:
            block.load()
            return
        last = getattr(block, block.names[-1])
        if isinstance(last, type) and issubclass(last, nn.Module):
            self.train(self.call(last))
        elif isinstance(last, type):
            made = self.call(last)
            method = next((name for name in ("fit", "train", "run", "validate", "evaluate") if hasattr(made, name)), "")
            if not method:
                raise TypeError(f"no idea how to use the class {last.__name__}: it needs a drive")
            self.call(getattr(made, method))
        else:
            self.call(last)
