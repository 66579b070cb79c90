"""## `del loss, output` at the end of each step

*Often advised* against growth. Each turn rebinds the names, so nothing grows without it; and after `backward()` the
activations are gone. It matters only where no `backward()` comes, and then for one graph
([TLK119](../rules/previous-output-alive/rule.md)).
"""

from truthkit import Grows, SameAs, scenario

PLACE = 5
ROWS = [
    ("growth with `del loss, output`", "deleted", "growth"),
    ("growth without", "left_alone", "growth"),
    ("peak with it", "deleted", "peak"),
    ("peak without", "left_alone", "peak"),
]


@scenario(claim=SameAs("peak", within=0.1), against="left_alone", side="good")
def deleted(kit):
    import torch.nn.functional as F

    for images, labels in kit.loader():
        kit.optimizer.zero_grad()
        output = kit.model(images)
        loss = F.cross_entropy(output, labels)
        loss.backward()
        kit.optimizer.step()
        del loss, output


@scenario(claim=Grows(mb=1), side="good")
def left_alone(kit):
    import torch.nn.functional as F

    for images, labels in kit.loader():
        kit.optimizer.zero_grad()
        output = kit.model(images)
        loss = F.cross_entropy(output, labels)
        loss.backward()
        kit.optimizer.step()
