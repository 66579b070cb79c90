"""## `torch.cuda.empty_cache()` in each step

*Often advised* against growing memory. What a tensor holds is not freed by it, so a leak stays a leak; what is free
already is given back to the driver and asked for again in the next step, which takes time. The peak is the same.
([TLK301](../rules/empty-cache-in-loop/rule.md))
"""

from truthkit import Grows, SameAs, SlowerOnGpu, scenario

PLACE = 2
ROWS = [
    ("peak with `empty_cache()` in each step", "emptied", "peak"),
    ("peak without", "left_alone", "peak"),
    ("time with it", "emptied", "ms"),
    ("time without", "left_alone", "ms"),
    ("outputs of an evaluation with grad kept, and `empty_cache()`", "leak_emptied", "growth"),
]


def _train(kit, after):
    import torch.nn.functional as F

    for images, labels in kit.loader():
        kit.optimizer.zero_grad()
        F.cross_entropy(kit.model(images), labels).backward()
        kit.optimizer.step()
        after()


@scenario(claim=[SlowerOnGpu(1.15), SameAs("peak", within=0.15)], against="left_alone")
def emptied(kit):
    import torch

    _train(kit, torch.cuda.empty_cache)


@scenario(claim=SlowerOnGpu(), side="good")
def left_alone(kit):
    _train(kit, lambda: None)


@scenario(claim=Grows(mb=2))
def leak_emptied(kit):
    import torch

    kept = []
    for images in kit.loader(1):
        kept.append(kit.model(images))
        torch.cuda.empty_cache()
