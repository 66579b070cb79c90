"""On a machine without a GPU, "cuda" means the CPU, so that blocks about devices run there as well."""

from __future__ import annotations

from typing import Any

import torch
from torch.overrides import TorchFunctionMode


def _here(value: Any) -> Any:
    if isinstance(value, str) and value.split(":")[0] == "cuda":
        return "cpu"
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    return value


class CpuForCuda(TorchFunctionMode):
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        name = getattr(func, "__name__", "")
        if name == "cuda":
            return args[0]
        if name == "to" or "device" in kwargs:
            args = tuple(_here(value) for value in args)
            kwargs = {key: _here(value) for key, value in kwargs.items()}
        if name == "pin_memory":
            return args[0]
        kwargs.pop("non_blocking", None) if name == "cuda" else None
        return func(*args, **kwargs)


def begin() -> None:
    CpuForCuda().__enter__()
    torch.cuda.synchronize = lambda *_, **__: None  # type: ignore[assignment]
    torch.cuda.empty_cache = lambda: None
