"""CUDA does not survive a fork. Without a GPU nothing fails, and the blocks are only run."""

from truthkit import Notes, drive

CLAIM = Notes("failed", bad=">= 1", good="<= 0", gpu_only=True)


@drive("launch")
def launch(block, kit):
    import importlib
    import sys

    # `spawn` imports the function again by the name of its module, which must be a file for that.
    (kit.folder / "launched.py").write_text(block.text, encoding="utf-8")
    sys.path.insert(0, str(kit.folder))
    kit.note("failed", int(importlib.import_module("launched").launch() != 0))


@drive("total")
def total(block, kit):
    import torch

    torch.zeros(1, device=kit.device)
    failed = 0
    try:
        block.total(list(torch.randn(32, 8)))
    except RuntimeError as error:
        assert "CUDA" in str(error)
        failed = 1
    kit.note("failed", failed)
