#!/usr/bin/env python3
"""Public names of installed libraries that no stub of rules/facts covers.

usage: names.py TABLE [MODULE|CLASS…]

TABLE is the compiled table of the stubs (facts_table.cpp of a build). Without names: those of torch that training
code uses. What is listed is unknown to the analysis, which is harmless for most of it: an unknown call is believed to do
anything, so nothing is said of what it gets and gives. Run it by hand with each new version of a library, and add what
makes, drops or moves graphs and tensors.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from pathlib import Path
from typing import Any, Iterator

MODULES = """
torch torch.Tensor torch.nn torch.nn.functional torch.nn.init torch.nn.parallel torch.nn.utils
torch.nn.utils.rnn torch.nn.attention torch.optim torch.optim.lr_scheduler torch.optim.swa_utils torch.amp torch.autograd
torch.autograd.graph torch.cuda torch.cuda.amp torch.mps torch.xpu torch.accelerator torch.distributed
torch.distributed.fsdp torch.distributions torch.utils.data torch.utils.checkpoint torch.utils.hooks torch.linalg
torch.fft torch.special torch.func torch.jit torch.compiler torch.profiler torch.multiprocessing torch.random
torch.backends
""".split()
NAME = re.compile(r'^  \{"([^"]+)", (\d+), (\d+), (\d+)\},$', re.MULTILINE)


def known_names(table: Path) -> set[str]:
    """All names and aliases that the stubs list."""
    return {match.group(1) for match in NAME.finditer(table.read_text(encoding="utf-8"))}


def resolved(name: str) -> Any:
    """The module or class of that name."""
    parent, _, last = name.rpartition(".")
    if parent and last[:1].isupper():
        return getattr(importlib.import_module(parent), last)
    return importlib.import_module(name)


def public(of: Any) -> Iterator[tuple[str, Any]]:
    """What users may call or read of it: no modules, no types of annotations, nothing with an underscore."""
    named = getattr(of, "__all__", None) or dir(of)
    for name in sorted(set(named)):
        value = inspect.getattr_static(of, name, None)
        if name.startswith("_") or inspect.ismodule(value) or value is None:
            continue
        if not inspect.ismodule(of) and not isinstance(of, type):
            continue
        home = getattr(value, "__module__", "") or ""
        if inspect.ismodule(of) and home.split(".")[0] in ("typing", "collections", "enum", "functools", "builtins"):
            if not callable(value) or home != "builtins":
                continue
        yield name, value


def main(arguments: list[str]) -> int:
    if not arguments:
        print(__doc__)
        return 2
    known = known_names(Path(arguments[0]))
    for module in arguments[1:] or MODULES:
        try:
            of = resolved(module)
        except Exception as error:  # libraries fail in their own ways when something is missing
            print(f"{module}: {error}", file=sys.stderr)
            continue
        # A module's __getattr__ answers for those below it as well.
        above = [module[:i] for i, c in enumerate(module + ".") if c == "."]
        if any(f"{name}.__getattr__" in known for name in above):
            continue
        missing = [name for name, _ in public(of) if f"{module}.{name}" not in known]
        print(f"{module} ({len(missing)}): {' '.join(missing)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
