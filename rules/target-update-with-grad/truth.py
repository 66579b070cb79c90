"""Each update's graph refers to the one before."""

from truthkit import Grows, drive

COST = "{bad1.growth_host} of host memory a step"
ROWS = [
    ("`shadow[name] = decay * shadow[name] + (1 - decay) * p`", "bad1"),
    ("in place, into a frozen copy", "bad2"),
    ("under `torch.no_grad()`", "good1"),
]
CLAIM = Grows(kb=2)


@drive("Ema")
def ema(block, kit):
    average = block.Ema(kit.model)
    for _ in kit.steps():
        average.update(kit.model)


@drive("train")
def train(block, kit):
    kit.call(block.train)
