"""On a machine without a GPU, "cuda" means the CPU, so that blocks about devices run there as well."""

from __future__ import annotations

import re
from typing import Any

import torch
from torch import nn


def for_cpu(text: str) -> str:
    """The code of a block, with the CPU wherever it names a GPU."""
    return re.sub(r"""(["'])cuda(:\d+)?\1""", '"cpu"', text)


def _same(self: Any, *_: Any, **__: Any) -> Any:
    return self


def _nothing(*_: Any, **__: Any) -> None:
    return None


def begin() -> None:
    torch.Tensor.cuda = _same  # type: ignore[method-assign]
    torch.Tensor.pin_memory = _same  # type: ignore[method-assign]
    nn.Module.cuda = _same  # type: ignore[method-assign]
    torch.cuda.synchronize = _nothing  # type: ignore[assignment]
    torch.cuda.empty_cache = _nothing
