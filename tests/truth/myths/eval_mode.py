"""## `model.eval()` turns gradients off

*Often believed.* It switches dropout and batch normalisation, and nothing else: the graph is built as in training.
"""

from truthkit import SameAs, scenario

PLACE = 7
ROWS = [
    ("peak of forward passes after `.train()`", "train_mode", "peak"),
    ("peak after `.eval()`", "eval_mode", "peak"),
    ("peak after `.eval()` and under `no_grad`", "eval_no_grad", "peak"),
]


def _forward(kit):
    for images in kit.loader(1):
        kit.model(images).argmax(dim=1)


@scenario(side="good")
def train_mode(kit):
    kit.model.train()
    _forward(kit)


@scenario(claim=SameAs("peak", within=0.3), against="train_mode")
def eval_mode(kit):
    kit.model.eval()
    _forward(kit)


@scenario(side="good")
def eval_no_grad(kit):
    import torch

    kit.model.eval()
    with torch.no_grad():
        _forward(kit)
