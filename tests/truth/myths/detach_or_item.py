"""## `.item()`, because `.detach()` would still leak

*Often said.* For a loss such as `cross_entropy` a detached number is a number: the smallest block that the device gives out,
and it does not wait for the device as `.item()` does. The exceptions are losses whose result is a view of what they reduced, `mse_loss`
and `smooth_l1_loss` ([TLK101](../rules/accumulated-tensor/rule.md)).
"""

from truthkit import Grows, scenario

PLACE = 8
ROWS = [
    ("a list of `cross_entropy(...).item()`", "items"),
    ("a list of `cross_entropy(...).detach()`", "detached"),
    ("a list of `cross_entropy(...)` itself, after `backward()`", "kept"),
]


def _train(kit, keep):
    import torch.nn.functional as F

    kept = []
    for images, labels in kit.loader():
        kit.optimizer.zero_grad()
        loss = F.cross_entropy(kit.model(images), labels)
        loss.backward()
        kit.optimizer.step()
        kept.append(keep(loss))


@scenario(claim=Grows(kb=10, good_kb=3), side="good")
def items(kit):
    _train(kit, lambda loss: loss.item())


@scenario(claim=Grows(kb=10, good_kb=3), side="good")
def detached(kit):
    _train(kit, lambda loss: loss.detach())


@scenario(claim=Grows(kb=10))
def kept(kit):
    _train(kit, lambda loss: loss)
