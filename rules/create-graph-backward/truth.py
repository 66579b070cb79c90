"""Gradients with a graph of their own, added up and never reset."""

from truthkit import Grows, drive

COST = "{bad1.growth} a step where the gradients are never reset, and no garbage collection frees it"
ROWS = [
    ("`loss.backward(create_graph=True)`, gradients never reset", "bad1"),
    ("`torch.autograd.grad(…, create_graph=True)`", "good1"),
    ("gradients set to None in each step", "good2"),
]
SETTING = "a perceptron of three layers, 2.1 million weights, a batch of 64"
CLAIM = Grows(kb=10)


@drive("sharpness")
def sharpness(block, kit):
    _run(kit, block.sharpness)


@drive("train")
def train(block, kit):
    _run(kit, block.train)


def _run(kit, function):
    """Second gradients of ResNet-50 take more memory than the runs beside this one leave."""
    import inspect

    import torch

    model = kit.mlp()
    given = dict(model=model, loader=kit.loader(make=lambda: (kit.tensor(64, 1024), torch.arange(64, device=kit.device) % 10)))
    if "optimizer" in inspect.signature(function).parameters:
        given["optimizer"] = torch.optim.SGD(model.parameters(), lr=1e-3)
    kit.call(function, **given)
