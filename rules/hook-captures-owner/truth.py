"""Objects that are dropped and collected, and stay."""

from truthkit import Grows, drive

CLAIM = Grows(kb=100)


@drive("Strategy")
def strategy(block, kit):
    import gc

    import torch

    for _ in kit.steps():
        a = (torch.eye(256, device=kit.device) + 0.01 * kit.tensor(256, 256)).requires_grad_()
        block.Strategy(a, kit.tensor(256, 1)).solve()
        del a
        gc.collect()
