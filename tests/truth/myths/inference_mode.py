"""## `inference_mode` instead of `no_grad`, to save memory

*Often said* to need less. Both keep no activations, and that is all there is to save.
([TLK203](../rules/eval-with-grad/rule.md) is about neither of them being there.)
"""

from truthkit import SameAs, scenario

PLACE = 6
ROWS = [
    ("peak under `torch.inference_mode()`", "inference", "peak"),
    ("peak under `torch.no_grad()`", "no_grad", "peak"),
    ("peak with neither", "neither", "peak"),
]


def _evaluate(kit, guard):
    kit.model.eval()
    for images in kit.loader(1):
        with guard():
            kit.model(images).argmax(dim=1)


@scenario(claim=SameAs("peak", within=0.25), side="good", against="no_grad")
def inference(kit):
    import torch

    _evaluate(kit, torch.inference_mode)


@scenario(side="good")
def no_grad(kit):
    import torch

    _evaluate(kit, torch.no_grad)


@scenario()
def neither(kit):
    import contextlib

    _evaluate(kit, contextlib.nullcontext)
