"""## `correct += (predicted == labels).sum()` keeps the graph

*Often taken for* the same as `total += loss`. Comparisons, `argmax()` and integers have no gradient, so there is no graph behind them.
"""

from truthkit import Grows, scenario

PLACE = 9
ROWS = [
    ("`correct += (logits.argmax(1) == labels).sum()`", "hits"),
    ("`total += loss`, no `backward()`", "losses"),
]


def _evaluate(kit, value):
    total = 0
    for images, labels in kit.loader():
        total = total + value(kit.model(images), labels)


@scenario(claim=Grows(mb=2), side="good")
def hits(kit):
    _evaluate(kit, lambda logits, labels: (logits.argmax(1) == labels).sum())


@scenario(claim=Grows(mb=2))
def losses(kit):
    import torch.nn.functional as F

    _evaluate(kit, F.cross_entropy)
