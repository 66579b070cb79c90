"""Predictions and targets of each epoch, one epoch a turn."""

from truthkit import Grows, drive

CLAIM = Grows(kb=50)


@drive("validate")
def validate(block, kit):
    import torch

    rows = 20_000

    def batches():
        kit.sample()
        for _ in range(2):
            yield torch.rand(rows, device=kit.device), torch.randint(0, 2, (rows,), device=kit.device)

    class Epochs:
        def __iter__(self):
            return batches()

    block.validate(lambda x: x, Epochs(), kit.turns)
