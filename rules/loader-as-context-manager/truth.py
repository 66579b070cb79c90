"""`with DataLoader(…)` raises."""

from truthkit import Raises, drive

CLAIM = Raises("TypeError", match="context manager")


@drive("total")
def total(block, kit):
    import torch

    assert block.total(list(torch.randn(32, 8))) == 32
