"""## `zero_grad(set_to_none=True)` against a leak

*Often advised.* With `False` gradients are filled with zeros in place, so they do not grow either. What is
saved is their memory during the next forward; it has been the default since PyTorch 2.0.
([TLK307](../rules/zero-grad-set-to-none-false/rule.md))
"""

from truthkit import Grows, scenario

PLACE = 11
ROWS = [
    ("growth with `set_to_none=False`", "zeroed", "growth"),
    ("growth with `set_to_none=True`", "to_none", "growth"),
    ("peak with `set_to_none=False`", "zeroed", "peak"),
    ("peak with `set_to_none=True`", "to_none", "peak"),
]
SETTING = "a perceptron of 1,024, three times 1,024 and 1,024, batches of 4,096 (CPU: 1,024)"


def _train(kit, none):
    import torch

    model = kit.mlp(1024, 1024, 1024, depth=4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for x in kit.loader(make=lambda: kit.tensor(4096 if kit.gpu else 1024, 1024)):
        optimizer.zero_grad(set_to_none=none)
        model(x).sum().backward()
        optimizer.step()


@scenario(claim=Grows(mb=1), side="good")
def zeroed(kit):
    _train(kit, False)


@scenario(claim=Grows(mb=1), side="good")
def to_none(kit):
    _train(kit, True)
